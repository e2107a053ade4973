import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link2, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Confirm } from '../../components/ui/dialog.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { Table } from '../../components/ui/table.tsx';
import { Time } from '../../components/ui/time.tsx';
import { useToaster } from '../../components/ui/toast.tsx';
import { AddMember } from './add-member.tsx';
import { membersQuery, type Member } from './queries.ts';
import { ShownOnce } from './shown-once.tsx';

const LINK_SECONDS = 24 * 3_600;

export function Members({ isAdmin }: { isAdmin: boolean }) {
  const { data: members, error, refetch } = useQuery(membersQuery);
  const { data: session } = useQuery(sessionQuery);
  const [isAdding, setIsAdding] = useState(false);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const [link, setLink] = useState<{ url: string; name: string } | null>(null);
  const queryClient = useQueryClient();
  const toaster = useToaster();
  const remove = useMutation({
    mutationFn: (member: Member) =>
      dataOf(api.DELETE('/api/team/members/{user_id}', { params: { path: { user_id: member.user_id } } })),
    onSuccess: async (_, { name }) => {
      await queryClient.invalidateQueries();
      toaster.say(`${name} removed.`);
    },
    onError: toaster.fail,
  });
  const invite = useMutation({
    mutationFn: (member: Member) =>
      dataOf(
        api.POST('/api/sign-in-links', {
          body: { user_id: member.user_id, expires_in_seconds: LINK_SECONDS, path: '/' },
        }),
      ),
    onSuccess: ({ url }, { name }) => setLink({ url, name }),
    onError: toaster.fail,
  });
  if (error !== null && members === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (members === undefined) return <Loading />;
  return (
    <>
      {isAdmin && (
        <Button className="mb-3" onClick={() => setIsAdding(true)}>
          <UserPlus aria-hidden size={16} /> Add member
        </Button>
      )}
      {members.length === 0 ? (
        <Empty title="No members yet">API keys work without members; people must be members to sign in.</Empty>
      ) : (
        <Table
          label="Members"
          rows={members}
          keyOf={({ user_id: id }) => id}
          columns={[
            {
              title: 'Name',
              cell: ({ name, email, role }) => (
                <>
                  <bdi className="font-medium wrap-anywhere">{name}</bdi>
                  <bdi className="block wrap-anywhere text-ink-soft">{email}</bdi>
                  <span className="sm:hidden">
                    <RoleBadge role={role} />
                  </span>
                </>
              ),
            },
            { title: 'Role', isMinor: true, cell: ({ role }) => <RoleBadge role={role} /> },
            { title: 'Joined', isMinor: true, cell: ({ joined_at: at }) => <Time at={at} /> },
            ...(isAdmin
              ? [
                  {
                    title: 'Actions',
                    isActions: true,
                    cell: (member: Member) => (
                      <span className="inline-flex gap-1">
                        {(member.role === 'member' || member.user_id === session?.user?.id) && (
                          <Button size="small" disabled={invite.isPending} onClick={() => invite.mutate(member)}>
                            <Link2 aria-hidden size={16} />
                            <span aria-hidden className="sm:hidden">
                              Link
                            </span>
                            <span className="max-sm:sr-only">Create sign-in link</span>
                            <span className="sr-only"> for {member.name}</span>
                          </Button>
                        )}
                        <Button
                          size="small"
                          variant="quiet"
                          icon
                          aria-label={`Remove ${member.name}`}
                          onClick={() => setLeaving(member)}
                        >
                          <Trash2 aria-hidden size={16} />
                        </Button>
                      </span>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <AddMember open={isAdding} onOpenChange={setIsAdding} />
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title={`Remove ${leaving?.name ?? ''} from the team?`}
        description="Their sessions end. API keys they created or that act for them are revoked, along with anything created with those keys. Their investigations and chats are kept."
        action="Remove from team"
        onConfirm={() => leaving && remove.mutate(leaving)}
      />
      <ShownOnce
        title={`Sign-in link for ${link?.name ?? ''}`}
        description="The first person to open it is signed in as this member. It works once, expires in 24 hours, and is shown only once."
        secret={link?.url ?? null}
        onClose={() => setLink(null)}
      />
    </>
  );
}

const RoleBadge = ({ role }: Pick<Member, 'role'>) => (
  <Badge tone={role === 'admin' ? 'accent' : 'neutral'}>{role === 'admin' ? 'Admin' : 'Member'}</Badge>
);
