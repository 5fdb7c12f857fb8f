import { type RefObject, useRef, useState } from 'react'
import { ownActions } from '../../data/own-factors.ts'
import { sessionKey } from '../../data/query-client.ts'
import { useSignedIn } from '../../data/session.ts'
import { type Action, useAction } from '../../data/use-load.ts'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { QrCode } from '../../kit/content/qr-code.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { useFocusReturn } from '../../kit/use-focus-return.ts'

interface CodesProps {
  /**
   * Heading of the panel for one-time codes. The heading takes the focus when a step removes the
   * focused button.
   */
  heading: RefObject<HTMLHeadingElement | null>
  /** Shows new recovery codes. Without an argument, removes the shown codes from the page. */
  onCodes: (result?: { recoveryCodes: readonly string[] }) => void
}

/** Panel for one-time codes of an app, and recovery codes for a lost app. */
export function OneTimeCodes() {
  const { factors } = useSignedIn()
  // The panel stores the new recovery codes. The set-up inside of the panel, which receives the
  // codes, is removed as soon as the session has one-time codes.
  const [codes, setCodes] = useState<readonly string[]>()
  const onCodes: CodesProps['onCodes'] = (result) => setCodes(result?.recoveryCodes)
  const heading = useRef<HTMLHeadingElement>(null)
  const props = { heading, onCodes }
  return (
    <Panel title="One-time codes" headingRef={heading}>
      {factors.totp ? <ActiveCodes {...props} /> : <InactiveCodes {...props} />}
      {codes && <RecoveryCodes codes={codes} />}
    </Panel>
  )
}

function InactiveCodes({ heading, onCodes }: CodesProps) {
  const start = useAction(ownActions.startTotp)
  if (!start.result) return <SetUpButton heading={heading} start={start} />
  return <ConfirmForm heading={heading} onCodes={onCodes} secret={start.result} />
}

interface SetUpButtonProps extends Pick<CodesProps, 'heading'> {
  start: Pick<Action<undefined, unknown>, 'run' | 'isRunning' | 'error'>
}

function SetUpButton({ heading, start }: SetUpButtonProps) {
  useFocusReturn(heading)
  return (
    <>
      <p>A code of an app on your phone is required after the password.</p>
      <div>
        <Button onPress={() => start.run(undefined)} isPending={start.isRunning}>
          Set up one-time codes
        </Button>
      </div>
      {start.error && <ErrorBox error={start.error} />}
    </>
  )
}

interface ConfirmFormProps extends CodesProps {
  /** Secret key of the one-time codes: as text, and as an `otpauth:` address that apps read. */
  secret: { seed: string; uri: string }
}

/** Form that switches on one-time codes. The first code of the app confirms the secret key. */
function ConfirmForm({ heading, onCodes, secret: { seed, uri } }: ConfirmFormProps) {
  const confirm = useAction(ownActions.confirmTotp, { refresh: [sessionKey], onDone: onCodes })
  useFocusReturn(heading)
  return (
    <>
      <p>Scan this picture with your app, or type the key into your app.</p>
      <QrCode text={uri} label="Key of the one-time codes" />
      <code>{seed}</code>
      <Form
        submit="Confirm"
        isRunning={confirm.isRunning}
        error={confirm.error}
        onSubmit={({ code = '' }) => confirm.run(code.replace(/\s/g, ''))}
      >
        <TextField
          label="Code that the app shows"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          isRequired
        />
      </Form>
    </>
  )
}

function ActiveCodes({ heading, onCodes }: CodesProps) {
  const { factors } = useSignedIn()
  useFocusReturn(heading)
  const renew = useAction(ownActions.renewRecoveryCodes, {
    refresh: [sessionKey],
    onDone: onCodes,
  })
  const remove = useAction(ownActions.removeTotp, {
    refresh: [sessionKey],
    onDone: () => onCodes(),
  })
  return (
    <>
      <p>One-time codes are on. {factors.recoveryCodes} recovery codes are left.</p>
      <ButtonRow>
        <ConfirmButton
          action="New recovery codes"
          kind="secondary"
          question={<p>The old recovery codes no longer work.</p>}
          onConfirm={() => renew.run(undefined)}
          isPending={renew.isRunning}
        />
        <ConfirmButton
          action="Remove one-time codes"
          question={<p>The password alone is then enough to sign in.</p>}
          onConfirm={() => remove.run(undefined)}
          isPending={remove.isRunning}
        />
      </ButtonRow>
      {renew.error && <ErrorBox error={renew.error} />}
      {remove.error && <ErrorBox error={remove.error} />}
    </>
  )
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <div role="status">
      <p>Store these recovery codes. Each code works once. The codes are not shown again.</p>
      <CopyBox text={codes.join('\n')} label="Copy the codes" />
    </div>
  )
}
