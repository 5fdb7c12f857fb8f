import type { MailboxEntry } from '../../../data/mail.ts'
import { Filters } from '../../../kit/content/panel.tsx'
import { Button } from '../../../kit/controls/button.tsx'
import { SelectField } from '../../../kit/controls/select-field.tsx'
import { moveChoices } from './mailbox-tree.ts'

export interface MoveFieldsProps {
  mailboxes: readonly MailboxEntry[]
  /** Path of the mailbox that contains the messages to move. */
  from: string | undefined
  target: string
  onTarget: (path: string) => void
  onMove: () => void
  isPending: boolean
}

/** Field for a mailbox, with the button that moves messages to it. */
export function MoveFields(props: MoveFieldsProps) {
  const { mailboxes, from, target, onTarget, onMove, isPending } = props
  return (
    <Filters label="Move">
      <SelectField
        label="Move to"
        value={target}
        options={[{ value: '', label: 'Choose a mailbox' }, ...moveChoices(mailboxes, from)]}
        onChange={onTarget}
      />
      <Button onPress={onMove} isDisabled={target === ''} isPending={isPending}>
        Move
      </Button>
    </Filters>
  )
}
