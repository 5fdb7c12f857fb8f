import { jobActions, type OutboxJobFilter } from '../../data/jobs/jobs.ts'
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

/** Maximum number of messages that the list of the outbox counts. */
const maxCounted = 100_000
const nouns = ['message', 'messages'] as const
const actions = [
  ['hold', 'Hold'],
  ['release', 'Release'],
  ['send', 'Send now'],
] as const

export interface OutboxSelectionProps extends Pick<
  SelectionPanelProps,
  'marked' | 'matching' | 'onChange' | 'region'
> {
  /**
   * Filters of the list of messages, which select the messages for a job. Undefined: the list shows
   * messages that were sent or have failed, which a job selects by their ids only.
   */
  filter: OutboxJobFilter | undefined
}

/** Panel that starts jobs on the selected messages of the outbox. */
export function OutboxSelection({ filter, ...props }: OutboxSelectionProps) {
  const { marked, matching } = props
  const may = useRights()
  const start = useJobStart(jobActions.startOnOutbox, props)
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
    <SelectionPanel {...props} {...selection} canMarkAll={filter !== undefined} error={start.error}>
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
  )
}
