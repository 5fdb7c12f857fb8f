import { jobActions, jobsKey, type OutboxJobFilter } from '../../data/jobs/jobs.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Button } from '../../kit/controls/button.tsx'
import {
  JobExtent,
  type SelectionPanelProps,
  SelectionPanel,
} from '../../kit/jobs/selection-panel.tsx'
import { selectionText } from '../../kit/jobs/selection-text.ts'
import type { Marked } from '../../kit/jobs/use-marked.ts'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'

/** Maximum number of messages that the list of the outbox counts. */
const maxCounted = 100_000
const nouns = ['message', 'messages'] as const
const actions = [
  ['hold', 'Hold'],
  ['release', 'Release'],
  ['send', 'Send now'],
] as const

export interface OutboxSelectionProps extends Pick<SelectionPanelProps, 'marked' | 'matching'> {
  onChange: (marked: Marked) => void
  /**
   * Filters of the list of messages, which select the messages for a job. Undefined: the list shows
   * messages that were sent or have failed, which a job selects by their ids only.
   */
  filter: OutboxJobFilter | undefined
}

/** Panel that starts jobs on the selected messages of the outbox. */
export function OutboxSelection({ marked, matching, filter, onChange }: OutboxSelectionProps) {
  const may = useRights()
  const start = useAction(jobActions.startOnOutbox, {
    refresh: [jobsKey],
    onDone: () => onChange({ keys: new Set(), isAll: false }),
  })
  const hasMore = matching !== undefined && matching >= maxCounted
  const run = (action: 'hold' | 'release' | 'send' | 'cancel') =>
    start.run({
      action,
      selection:
        marked.isAll && filter
          ? { filter, ...(!hasMore && { maxEntries: Math.max(matching ?? 0, 1) }) }
          : { ids: [...marked.keys] },
    })
  const selection = { marked, matching, hasMore, nouns }
  return (
    <>
      <SelectionPanel {...selection} onChange={onChange} canMarkAll={filter !== undefined}>
        {actions.map(([action, text]) =>
          marked.isAll ? (
            <ConfirmButton
              key={action}
              action={text}
              kind="secondary"
              question={<JobExtent {...selection} />}
              onConfirm={() => run(action)}
              isPending={start.isRunning}
            />
          ) : (
            <Button key={action} onPress={() => run(action)} isPending={start.isRunning}>
              {text}
            </Button>
          ),
        )}
        {may('cancelSubmissions') && (
          <ConfirmButton
            action={`Cancel ${selectionText(selection)}`}
            question={
              <>
                <p>The messages are removed from the outbox and are not sent.</p>
                <JobExtent {...selection} />
              </>
            }
            typed={String(marked.isAll ? matching : marked.keys.size)}
            onConfirm={() => run('cancel')}
            isPending={start.isRunning}
          />
        )}
      </SelectionPanel>
      {start.error && <ErrorBox error={start.error} />}
    </>
  )
}
