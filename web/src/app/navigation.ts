/** The main places of the app, in display order, with the letter that leads there after `g`. */
import { Activity, Bell, MessagesSquare, Radar, Satellite, Users, type LucideIcon } from 'lucide-react';
import { may, type Session } from '../api/session.ts';

export interface Place {
  to: '/' | '/chats' | '/monitoring' | '/findings' | '/satellites' | '/team';
  title: string;
  icon: LucideIcon;
  key: string;
  scope: string;
}

const PLACES: readonly Place[] = [
  { to: '/', title: 'Investigations', icon: Radar, key: 'i', scope: 'investigations:read' },
  { to: '/chats', title: 'Chats', icon: MessagesSquare, key: 'c', scope: 'chats:read' },
  { to: '/monitoring', title: 'Monitoring', icon: Activity, key: 'm', scope: 'monitoring:read' },
  { to: '/findings', title: 'Findings', icon: Bell, key: 'f', scope: 'monitoring:read' },
  { to: '/satellites', title: 'Satellites', icon: Satellite, key: 's', scope: 'satellites:read' },
  { to: '/team', title: 'Team', icon: Users, key: 't', scope: 'team:read' },
];

/** The places that this session may see. */
export const placesFor = (session: Session | null | undefined): Place[] =>
  PLACES.filter(({ scope }) => may(session, scope));
