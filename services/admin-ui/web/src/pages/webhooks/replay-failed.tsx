import { type ReplayFilter, startReplay, useReplay } from '../../data/queues.ts'
import { useAction } from '../../data/use-load.ts'
import { Panel } from '../../kit/content/panel.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { filterText, replayText } from './replay-filter.ts'

/**
 * Button that repeats all failed webhook deliveries that match the filters, over all pages of the
 * list.
 */
export function ReplayFailed({ filter }: { filter: ReplayFilter }) {
  const start = useAction(startReplay)
  return (
    <Panel title="Replay failed deliveries">
      <p>All failed deliveries {filterText(filter)} are sent again, as new deliveries.</p>
      <div>
        <ConfirmButton
          action="Replay all that match"
          kind="secondary"
          question={<p>All failed deliveries {filterText(filter)} are sent again.</p>}
          onConfirm={() => start.run(filter)}
          isPending={start.isRunning}
        />
      </div>
      {start.error && <ErrorBox error={start.error} />}
      {start.result && <Progress replay={start.result.id} />}
    </Panel>
  )
}

function Progress({ replay }: { replay: string }) {
  const load = useReplay(replay)
  return (
    <Loaded load={load} lines={1}>
      {(job) => (
        <p role="status">
          <progress value={job.replayed} max={job.total ?? 1} aria-label="Progress" />{' '}
          {replayText(job)}
        </p>
      )}
    </Loaded>
  )
}
