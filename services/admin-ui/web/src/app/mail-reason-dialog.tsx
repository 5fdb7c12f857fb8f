import { ownActions } from '../data/own-factors.ts'
import { proofRequests, sessionKey } from '../data/query-client.ts'
import { useSignedIn } from '../data/session.ts'
import { useAction } from '../data/use-load.ts'
import { Button } from '../kit/controls/button.tsx'
import { TextField } from '../kit/controls/text-field.tsx'
import { Form } from '../kit/forms/form.tsx'
import { Dialog } from '../kit/overlays/dialog.tsx'

/**
 * Dialog for the reason of a person who opens mail, or gives a program the right to read mail. The
 * refused call is repeated afterwards.
 */
export function MailReasonDialog() {
  const { person } = useSignedIn()
  const cancel = () => proofRequests.mailReason.settle(false)
  const start = useAction(ownActions.startMailReading, {
    refresh: [sessionKey],
    onDone: () => proofRequests.mailReason.settle(true),
  })
  return (
    <Dialog title="Reading mail" isOpen onClose={cancel}>
      {person.mayReadMail ? (
        <Form
          submit="Continue"
          isRunning={start.isRunning}
          error={start.error}
          onSubmit={({ reason = '' }) => start.run(reason)}
        >
          <p>
            This action gives access to mail. Your reason is stored in the audit log and is valid
            for 15 minutes.
          </p>
          <TextField label="Reason" name="reason" minLength={3} isRequired autoFocus />
        </Form>
      ) : (
        <>
          <p>
            This action gives access to mail, which you may not read. An owner permits reading mail
            on the page People.
          </p>
          <Button onPress={cancel}>Close</Button>
        </>
      )}
    </Dialog>
  )
}
