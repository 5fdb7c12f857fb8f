import { jobActions, type AccountJobFilter, jobsKey } from '../../data/jobs/jobs.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Button } from '../../kit/controls/button.tsx'
import {
  countText,
  type SelectionPanelProps,
  SelectionPanel,
} from '../../kit/jobs/selection-panel.tsx'
import type { Marked } from '../../kit/jobs/use-marked.ts'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'

const nouns = ['account', 'accounts'] as const

export interface AccountSelectionProps extends Pick<SelectionPanelProps, 'marked' | 'matching'> {
  onChange: (marked: Marked) => void
  /** Filters of the list, which select its accounts for a job. */
  filter: AccountJobFilter
}

/** Panel that starts jobs on the selected accounts of the list. */
export function AccountSelection({ marked, matching, filter, onChange }: AccountSelectionProps) {
  const may = useRights()
  const start = useAction(jobActions.startOnAccounts, {
    refresh: [jobsKey],
    onDone: () => onChange({ keys: new Set(), isAll: false }),
  })
  const run = (action: 'reconnect' | 'sync' | 'flush' | 'delete') =>
    start.run({ action, selection: marked.isAll ? { filter } : { ids: [...marked.keys] } })
  const count = countText(marked, matching, nouns)
  const confirmed = (action: 'reconnect' | 'sync', text: string) =>
    marked.isAll ? (
      <ConfirmButton
        action={text}
        kind="secondary"
        question={<p>The job runs on each account that matches the filters when its turn comes.</p>}
        onConfirm={() => run(action)}
        isPending={start.isRunning}
      />
    ) : (
      <Button onPress={() => run(action)} isPending={start.isRunning}>
        {text}
      </Button>
    )
  return (
    <>
      <SelectionPanel
        marked={marked}
        onChange={onChange}
        matching={matching}
        nouns={nouns}
        canMarkAll
      >
        {may('operateAccounts') && (
          <>
            {confirmed('reconnect', 'Reconnect')}
            {confirmed('sync', 'Sync')}
            <ConfirmButton
              action="Rebuild indexes"
              kind="secondary"
              question={<p>All messages are read again, which takes long for large mailboxes.</p>}
              onConfirm={() => run('flush')}
              isPending={start.isRunning}
            />
          </>
        )}
        {may('changeAccounts') && (
          <ConfirmButton
            action={`Delete ${count}`}
            question={<p>Queued messages and tokens are deleted too. Mail is not deleted.</p>}
            typed={String(marked.isAll ? (matching ?? 0) : marked.keys.size)}
            onConfirm={() => run('delete')}
            isPending={start.isRunning}
          />
        )}
      </SelectionPanel>
      {start.error && <ErrorBox error={start.error} />}
    </>
  )
}
