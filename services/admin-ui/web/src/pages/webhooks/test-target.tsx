import { useState } from 'react'
import { useAction } from '../../data/use-load.ts'
import {
  type Target,
  type TargetTest,
  targetsKey,
  testTarget,
} from '../../data/webhooks/targets.ts'
import { Facts } from '../../kit/content/panel.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { Dialog } from '../../kit/overlays/dialog.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { testText } from './target-texts.ts'

/** Form that sends a signed test event to any webhook target, and shows the response. */
export function TestTargetForm() {
  const call = useAction((url: string) => testTarget(url || undefined))
  return (
    <>
      <Form
        submit="Send a test event"
        isRunning={call.isRunning}
        error={call.error}
        onSubmit={({ url = '' }) => call.run(url)}
      >
        <TextField
          label="URL of the target"
          name="url"
          type="url"
          hint="With its login and query. Empty: the default target."
        />
      </Form>
      {call.result && <TestResult test={call.result} />}
    </>
  )
}

/** Button that sends a signed test event to a listed webhook target, and shows the response. */
export function TestTargetButton({ target: { address, isDefault } }: { target: Target }) {
  const [isOpen, setOpen] = useState(false)
  const call = useAction(() => testTarget(isDefault ? undefined : address), {
    refresh: [targetsKey],
  })
  const close = () => {
    setOpen(false)
    call.reset()
  }
  return (
    <>
      <Button onPress={() => setOpen(true)}>Test</Button>
      <Dialog title="Test the target" isOpen={isOpen} onClose={close}>
        <p>
          A signed event with the name test is sent to {address}, also while the target is paused.
          {!isDefault && ' The call has no login and no query.'}
        </p>
        {call.error && <ErrorBox error={call.error} />}
        {call.result && <TestResult test={call.result} />}
        <ButtonRow>
          <Button kind="primary" onPress={() => call.run(undefined)} isPending={call.isRunning}>
            Send a test event
          </Button>
          <Button onPress={close}>Close</Button>
        </ButtonRow>
      </Dialog>
    </>
  )
}

function TestResult({ test }: { test: TargetTest }) {
  const { response, error, skippedHeaders, eventId } = test
  return (
    <div role="status">
      <p>{testText(test)}</p>
      <Facts
        rows={[
          ['Error', error],
          ['Headers not sent', skippedHeaders.join(', ')],
          ['Event id', <code key="id">{eventId}</code>],
        ]}
      />
      {response !== '' && (
        <>
          <p>Response:</p>
          <pre>{response}</pre>
        </>
      )}
    </div>
  )
}
