import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { KeyRound, LogIn } from 'lucide-react';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { ApiError } from '../../api/client.ts';
import { sessionQuery, signIn } from '../../api/session.ts';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { messageOf } from '../../app/message-of.ts';
import { signInMethodsQuery } from './queries.ts';
import { reasonOf } from './reasons.ts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { to = '/', error: code } = route.useSearch();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [apiKey, setApiKey] = useState('');
  const { data: session } = useQuery(sessionQuery);
  const { data: known, isPending, failureCount } = useQuery(signInMethodsQuery);
  const goOn = (): void => router.history.replace(to);

  // Nothing to do here for anyone who is signed in, perhaps in another tab.
  useEffect(() => {
    if (session) router.history.replace(to);
  }, [session, router, to]);

  const field = useRef<HTMLInputElement>(null);
  const enter = useMutation({
    mutationFn: () => signIn(queryClient, { api_key: apiKey.trim() }),
    onSuccess: goOn,
    // The field shows the error; with focus on it, screen readers read it and pasting replaces the value.
    onError: () => field.current?.select(),
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (apiKey.trim() !== '' && !enter.isPending) enter.mutate();
  };
  const oidc = known?.methods.oidc;
  const reason = reasonOf(code);
  const isRefused = enter.error instanceof ApiError && enter.error.status === 401;

  // Render once, with or without the identity provider, so that nothing moves under the finger.
  if (isPending && failureCount === 0) return <main aria-busy="true" />;

  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <title>Sign in · Casebook</title>
      <div className="w-full max-w-sm rounded-lg border bg-surface p-6 shadow-pop">
        <div className="mb-5 flex items-center gap-3">
          <img src="/favicon.svg" alt="" width={36} height={36} />
          <div>
            <h1 className="text-xl font-semibold tracking-tight">Sign in to Casebook</h1>
            <p className="text-sm text-ink-soft">Find out what broke, with evidence.</p>
          </div>
        </div>
        {reason !== undefined && (
          <p role="alert" className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            {reason}
          </p>
        )}
        {oidc && (
          <>
            <Button variant="primary" className="w-full" asChild>
              <a href={`/api/sign-in/oidc?to=${encodeURIComponent(to)}`}>
                <LogIn aria-hidden size={16} /> Continue with {oidc.name}
              </a>
            </Button>
            <p className="my-4 flex items-center gap-3 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
              or
            </p>
          </>
        )}
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="API key"
            hint="Used once to sign in; not stored."
            error={enter.error && (isRefused ? 'This API key is invalid.' : messageOf(enter.error))}
          >
            {(control) => (
              <Input
                {...control}
                ref={field}
                type="password"
                autoComplete="off"
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- the one thing to do on this page
                autoFocus
                spellCheck={false}
                value={apiKey}
                onChange={({ target }) => setApiKey(target.value)}
                required
              />
            )}
          </Field>
          <Button type="submit" variant={oidc ? 'plain' : 'primary'} disabled={enter.isPending || apiKey.trim() === ''}>
            <KeyRound aria-hidden size={16} /> Sign in with API key
          </Button>
        </form>
        <p className="mt-5 text-sm text-ink-soft">
          You can also use a one-time link: <code>npm start</code> prints one, and admins can create one for you.
        </p>
      </div>
    </main>
  );
}
