import { stepUpMinutes } from '@posthorn/contracts/admin/roles'
import { hasPasskeys, signWithPasskey } from '../data/passkey.ts'
import { calls, proofRequests } from '../data/query-client.ts'
import { useSignedIn } from '../data/session.ts'
import { useAction } from '../data/use-load.ts'
import { Button } from '../kit/controls/button.tsx'
import { Form } from '../kit/forms/form.tsx'
import { TextField } from '../kit/controls/text-field.tsx'
import { Dialog } from '../kit/overlays/dialog.tsx'

/**
 * Dialog for a factor (password, code or passkey) that the server requires before a dangerous
 * action. The refused call is repeated afterwards.
 */
export function StepUpDialog() {
  const { factors } = useSignedIn()
  const accept = () => proofRequests.factor.settle(true)
  const check = useAction(
    (body: Readonly<Record<string, string>>) =>
      calls.admin('POST /admin/session/step-up', { body }),
    { onDone: accept },
  )
  const passkey = useAction(() => signWithPasskey('stepUp'), { onDone: accept })
  return (
    <Dialog
      title="Confirm that it is you"
      isOpen
      onClose={() => proofRequests.factor.settle(false)}
    >
      <p>
        This action needs a sign-in of the last {stepUpMinutes} minutes. Enter your factors again.
      </p>
      <Form
        submit="Confirm"
        isRunning={check.isRunning}
        error={check.error ?? passkey.error}
        onSubmit={(values) => check.run(values)}
        buttons={
          factors.passkeys > 0 &&
          hasPasskeys() && <Button onPress={() => passkey.run(undefined)}>Use a passkey</Button>
        }
      >
        {factors.password && (
          <TextField
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            isRequired
            autoFocus
          />
        )}
        {factors.totp && (
          <TextField
            label="One-time code or recovery code"
            name="code"
            autoComplete="one-time-code"
            isRequired
          />
        )}
      </Form>
    </Dialog>
  )
}
