import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { may, sessionQuery } from '../../api/session.ts';
import { PageHead } from '../../components/ui/panel.tsx';
import { Tabs } from '../../components/ui/tabs.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Members } from './members.tsx';
import { Sessions } from './sessions.tsx';
import { TeamName } from './team-name.tsx';

const route = getRouteApi('/signed-in/team');

export function TeamPage() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const isAdmin = may(session, 'team:admin');
  const tabs = [
    { value: 'members', title: 'Members', content: <Members isAdmin={isAdmin} /> },
    ...(isAdmin ? [{ value: 'keys', title: 'API keys', content: <ApiKeys /> }] : []),
    { value: 'sessions', title: 'Sessions', content: <Sessions isAdmin={isAdmin} /> },
  ];
  return (
    <>
      <title>Team · Casebook</title>
      <PageHead
        title={session?.team.name ?? 'Team'}
        description="Members see the team's investigations, chats and agents."
        actions={isAdmin && session ? <TeamName name={session.team.name} /> : undefined}
      />
      <Tabs
        label="Team"
        value={tabs.find(({ value }) => value === tab)?.value ?? 'members'}
        onValueChange={(value) => void navigate({ search: { tab: value }, replace: true })}
        tabs={tabs}
      />
    </>
  );
}
