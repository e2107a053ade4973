/** The places of the app by group, in display order, each with the letter that leads there after `g`. */
import {
  Activity,
  Bell,
  FolderTree,
  House,
  MessagesSquare,
  Network,
  Plug,
  Radar,
  Satellite,
  Users,
  type LucideIcon,
} from 'lucide-react';
import { may, type Session } from '../api/session.ts';

export interface Place {
  to:
    | '/'
    | '/investigations'
    | '/chats'
    | '/monitoring'
    | '/findings'
    | '/services'
    | '/workspace'
    | '/integrations'
    | '/satellites'
    | '/team';
  title: string;
  icon: LucideIcon;
  key: string;
  /** Everybody may see a place without one. */
  scope?: string;
}

export interface PlaceGroup {
  /** Absent for what stands above all groups. */
  title?: string;
  places: readonly Place[];
}

const GROUPS: readonly PlaceGroup[] = [
  { places: [{ to: '/', title: 'Home', icon: House, key: 'h' }] },
  {
    title: 'Respond',
    places: [
      { to: '/investigations', title: 'Investigations', icon: Radar, key: 'i', scope: 'investigations:read' },
      { to: '/findings', title: 'Findings', icon: Bell, key: 'f', scope: 'monitoring:read' },
      { to: '/chats', title: 'Chats', icon: MessagesSquare, key: 'c', scope: 'chats:read' },
      { to: '/workspace', title: 'Files', icon: FolderTree, key: 'w', scope: 'workspace:read' },
    ],
  },
  {
    title: 'Watch',
    places: [
      { to: '/monitoring', title: 'Agents', icon: Activity, key: 'm', scope: 'monitoring:read' },
      { to: '/services', title: 'Services', icon: Network, key: 'v', scope: 'investigations:read' },
    ],
  },
  {
    title: 'Connect',
    places: [
      { to: '/integrations', title: 'Integrations', icon: Plug, key: 'n', scope: 'integrations:read' },
      { to: '/satellites', title: 'Satellites', icon: Satellite, key: 's', scope: 'satellites:read' },
    ],
  },
  { title: 'Admin', places: [{ to: '/team', title: 'Team', icon: Users, key: 't', scope: 'team:read' }] },
];

/** The groups with a place that this session may see, without the others. */
export const groupsFor = (session: Session | null | undefined): PlaceGroup[] =>
  GROUPS.map((group) => ({
    ...group,
    places: group.places.filter(({ scope }) => scope === undefined || may(session, scope)),
  })).filter(({ places }) => places.length > 0);
