import { type AccountJobFilter, jobActions } from '../../data/jobs/jobs.ts'
import { useRights } from '../../data/session.ts'
import { Button } from '../../kit/controls/button.tsx'
import {
  JobExtent,
  type SelectionPanelProps,
  SelectionPanel,
} from '../../kit/jobs/selection-panel.tsx'
import { selectionText } from '../../kit/jobs/selection-text.ts'
import { useJobStart } from '../../kit/jobs/use-job-start.ts'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'

const nouns = ['account', 'accounts'] as const

export interface AccountSelectionProps extends Pick<
  SelectionPanelProps,
  'marked' | 'matching' | 'onChange' | 'canMarkAll' | 'region'
> {
  /** Filters of the list of accounts, which select accounts for a bulk job. */
  filter: AccountJobFilter
}

type JobAction = 'reconnect' | 'sync' | 'flush' | 'delete'

/** Panel that starts jobs on the selected accounts of the list. */
export function AccountSelection({ filter, ...props }: AccountSelectionProps) {
  const { marked, matching } = props
  const may = useRights()
  const start = useJobStart(jobActions.startOnAccounts, props)
  const run = (action: JobAction) =>
    start.run({
      action,
      selection: marked.isAll
        ? { filter, maxEntries: Math.max(matching ?? 0, 1) }
        : { ids: [...marked.keys] },
    })
  const jobs = { marked, matching, nouns, run, isPending: start.isRunning }
  return (
    <SelectionPanel {...props} nouns={nouns} error={start.error}>
      {may('operateAccounts') && <OperateButtons {...jobs} />}
      {may('changeAccounts') && <ChangeButtons {...jobs} />}
    </SelectionPanel>
  )
}

interface JobButtonsProps extends Pick<SelectionPanelProps, 'marked' | 'matching' | 'nouns'> {
  run: (action: JobAction) => void
  isPending: boolean
}

/** Buttons for bulk jobs on accounts that people of the role support may start, too. */
function OperateButtons({ run, isPending, ...selection }: JobButtonsProps) {
  const button = (action: 'reconnect' | 'sync', text: string) =>
    selection.marked.isAll ? (
      <ConfirmButton
        action={text}
        kind="secondary"
        question={<JobExtent {...selection} />}
        onConfirm={() => run(action)}
        isPending={isPending}
      />
    ) : (
      <Button onPress={() => run(action)} isPending={isPending}>
        {text}
      </Button>
    )
  return (
    <>
      {button('reconnect', 'Reconnect')}
      {button('sync', 'Sync')}
    </>
  )
}

/** Buttons for bulk jobs that need the right to change accounts, as the single operations do. */
function ChangeButtons({ run, isPending, ...selection }: JobButtonsProps) {
  const { marked, matching } = selection
  return (
    <>
      <ConfirmButton
        action="Rebuild indexes"
        kind="secondary"
        question={
          <>
            <p>All messages are read again, which takes long for large mailboxes.</p>
            <JobExtent {...selection} />
          </>
        }
        onConfirm={() => run('flush')}
        isPending={isPending}
      />
      <ConfirmButton
        action={`Delete ${selectionText(selection)}`}
        question={
          <>
            <p>Queued messages and tokens are deleted too. Mail is not deleted.</p>
            <JobExtent {...selection} />
          </>
        }
        typed={String(marked.isAll ? matching : marked.keys.size)}
        onConfirm={() => run('delete')}
        isPending={isPending}
      />
    </>
  )
}
