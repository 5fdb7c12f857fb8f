import { proofRequests } from '../data/query-client.ts'
import { useSignedIn } from '../data/session.ts'
import { Button } from '../kit/controls/button.tsx'
import { MailReasonForm } from '../kit/forms/mail-reason-form.tsx'
import { Dialog } from '../kit/overlays/dialog.tsx'

/**
 * Dialog for the reason of a person who opens mail, or gives a program the right to read mail. The
 * refused call is repeated afterwards.
 */
export function MailReasonDialog() {
  const { person } = useSignedIn()
  const cancel = () => proofRequests.mailReason.settle(false)
  return (
    <Dialog title="Reading mail" isOpen onClose={cancel}>
      {person.mayReadMail ? (
        <MailReasonForm
          submit="Continue"
          onDone={() => proofRequests.mailReason.settle(true)}
          autoFocus
        >
          <p>
            This action gives access to mail. Your reason is stored in the audit log and is valid
            for 15 minutes.
          </p>
        </MailReasonForm>
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
