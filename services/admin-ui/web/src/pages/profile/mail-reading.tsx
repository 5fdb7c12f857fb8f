import { ownActions } from '../../data/own-factors.ts'
import { sessionKey } from '../../data/query-client.ts'
import { useSignedIn } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Button } from '../../kit/controls/button.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { MailReasonForm } from '../../kit/forms/mail-reason-form.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'

/**
 * Panel for the right to read mail, which is active for 15 minutes after a person has given a
 * reason.
 */
export function MailReading() {
  const { mailReading } = useSignedIn()
  const { until, reason } = mailReading
  return (
    <Panel title="Reading mail">
      {until === undefined ? (
        <MailReasonForm submit="Activate" />
      ) : (
        <ActiveReading until={until} reason={reason ?? ''} />
      )}
    </Panel>
  )
}

function ActiveReading({ until, reason }: { until: string; reason: string }) {
  const end = useAction(ownActions.endMailReading, { refresh: [sessionKey] })
  return (
    <>
      <p>
        Reading mail is active and ends <Time value={until} />. Reason: {reason}
      </p>
      <div>
        <Button onPress={() => end.run(undefined)} isPending={end.isRunning}>
          End now
        </Button>
      </div>
      {end.error && <ErrorBox error={end.error} />}
    </>
  )
}
