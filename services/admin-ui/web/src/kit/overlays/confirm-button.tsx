import { type ReactNode, useState } from 'react'
import { Button, ButtonRow } from '../controls/button.tsx'
import { TextField } from '../controls/text-field.tsx'
import { Dialog } from './dialog.tsx'

export interface ConfirmButtonProps {
  /** Text of the button, and title of the dialog that asks for confirmation. */
  action: string
  question: ReactNode
  onConfirm: () => void
  /** Style of the button. `danger`, the default, is for actions that cannot be undone. */
  kind?: 'danger' | 'secondary'
  /** Text that the person must type to confirm the action. Absent: a second press is enough. */
  typed?: string
  isPending?: boolean
}

/** Button whose action runs only after a second confirmation by the person. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { action, question, onConfirm, kind = 'danger', typed, isPending } = props
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const close = () => {
    setOpen(false)
    setText('')
  }
  return (
    <>
      <Button
        {...(kind === 'danger' && { kind })}
        onPress={() => setOpen(true)}
        isPending={isPending ?? false}
      >
        {action}
      </Button>
      <Dialog title={action} isOpen={isOpen} onClose={close} role="alertdialog">
        <div>{question}</div>
        {typed !== undefined && (
          <TextField label={`Type ${typed} to confirm`} value={text} onChange={setText} autoFocus />
        )}
        <ButtonRow>
          <Button
            kind={kind === 'danger' ? 'danger' : 'primary'}
            isDisabled={typed !== undefined && text !== typed}
            onPress={() => {
              close()
              onConfirm()
            }}
          >
            {action}
          </Button>
          <Button onPress={close}>Cancel</Button>
        </ButtonRow>
      </Dialog>
    </>
  )
}
