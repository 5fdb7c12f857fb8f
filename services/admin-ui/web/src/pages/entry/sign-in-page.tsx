import { useEffect, useState } from 'react'
import type { Session, SignInResult } from '../../data/admin-types.ts'
import { entryActions } from '../../data/entry.ts'
import { hasPasskeys, signWithPasskey } from '../../data/passkey.ts'
import { startSession, useSession, useSignInOptions } from '../../data/session.ts'
import { signInFailureText } from '../../data/sign-in-failures.ts'
import { useAction } from '../../data/use-load.ts'
import { Button, buttonClass } from '../../kit/controls/button.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { ProblemBox } from '../../kit/states/problem-box.tsx'
import { usePageQuery, useReturn } from '../../routing/navigation.tsx'
import { returnPath } from '../../routing/query-text.ts'
import { EntryCard } from './entry-card.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'

/**
 * Page for the sign-in by password, passkey or OpenID Connect. Afterwards, the page opens that the
 * person wanted to see.
 */
export function SignInPage() {
  const [ticket, setTicket] = useState<string>()
  const options = useSignInOptions()
  useReturnWhenSignedIn()
  const onResult = (result: SignInResult) => {
    if ('secondFactor' in result) setTicket(result.secondFactor.ticket)
    else startSession(result)
  }
  return (
    <EntryCard title={ticket === undefined ? 'Sign in' : 'Second factor'}>
      {ticket === undefined ? (
        <Loaded load={options} lines={4}>
          {({ setUp, passwords, oidc }) =>
            setUp ? (
              <SetUpMissing />
            ) : (
              <>
                <OpenIdProblem />
                {passwords && <PasswordForm onResult={onResult} />}
                {hasPasskeys() && <PasskeyButton onDone={startSession} />}
                {oidc && <OpenIdLink name={oidc.name} />}
              </>
            )
          }
        </Loaded>
      ) : (
        <SecondFactorForm
          ticket={ticket}
          onDone={startSession}
          onCancel={() => setTicket(undefined)}
        />
      )}
    </EntryCard>
  )
}

function useReturnWhenSignedIn(): void {
  const { data } = useSession()
  const [query] = usePageQuery()
  const open = useReturn()
  const isSignedIn = data !== undefined && data !== null
  useEffect(() => {
    if (isSignedIn) open(returnPath(query['return']))
  }, [isSignedIn])
}

function SetUpMissing() {
  return (
    <p>
      This installation has no owner yet. Open the set-up link that the start of the service has
      printed.
    </p>
  )
}

function PasswordForm({ onResult }: { onResult: (result: SignInResult) => void }) {
  const signIn = useAction(entryActions.signIn, { onDone: onResult })
  return (
    <Form
      submit="Sign in"
      isRunning={signIn.isRunning}
      error={signIn.error}
      onSubmit={(values) => signIn.run(values)}
    >
      <TextField
        label="Email address"
        name="email"
        type="email"
        autoComplete="username webauthn"
        isRequired
        autoFocus
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        isRequired
      />
    </Form>
  )
}

function PasskeyButton({ onDone }: { onDone: (session: Session) => void }) {
  const passkey = useAction(() => signWithPasskey('signIn'), { onDone })
  return (
    <>
      <Button onPress={() => passkey.run(undefined)} isPending={passkey.isRunning}>
        Sign in with a passkey
      </Button>
      {passkey.error && <ErrorBox error={passkey.error} />}
    </>
  )
}

/**
 * Box with the reason why the sign-in at the OpenID provider failed, from the address of the page.
 */
function OpenIdProblem() {
  const [query] = usePageQuery()
  const text = signInFailureText(query['error'])
  return text === undefined ? null : <ProblemBox title="Not signed in">{text}</ProblemBox>
}

function OpenIdLink({ name }: { name: string }) {
  return (
    <a className={buttonClass()} href="/admin/session/oidc">
      Sign in with {name}
    </a>
  )
}
