import { useRef, useState } from 'react'
import { accountActions } from '../../data/accounts.ts'
import { useRights } from '../../data/session.ts'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { type BulkProgress, runForEach } from '../../data/bulk-run.ts'

export interface BulkActionsProps {
  keys: ReadonlySet<string>
  /**
   * Called when an action on the selected accounts has ended, with the accounts for which the
   * action failed.
   */
  onDone: (failed: readonly string[]) => void
}

/** Buttons for actions on the selected accounts, with the progress of the action. */
export function BulkActions({ keys, onDone }: BulkActionsProps) {
  const may = useRights()
  const [progress, setProgress] = useState<BulkProgress>()
  const running = useRef<AbortController>(undefined)
  const start = async (run: (account: string) => Promise<unknown>) => {
    running.current = new AbortController()
    const { signal } = running.current
    const { failures } = await runForEach([...keys], run, { signal, onProgress: setProgress })
    running.current = undefined
    onDone(failures.map(([account]) => account))
  }
  const isRunning = progress !== undefined && running.current !== undefined
  const count = `${keys.size} ${keys.size === 1 ? 'account' : 'accounts'}`
  return (
    <Panel title={`${count} selected`}>
      {isRunning ? (
        <Button onPress={() => running.current?.abort()}>Stop</Button>
      ) : (
        <ButtonRow>
          {may('operateAccounts') && (
            <Button onPress={() => void start(accountActions.reconnect)}>Reconnect</Button>
          )}
          {may('changeAccounts') && (
            <ConfirmButton
              action={`Delete ${count}`}
              question={<p>Queued messages and tokens are deleted too. Mail is not deleted.</p>}
              typed={String(keys.size)}
              onConfirm={() => void start(accountActions.remove)}
            />
          )}
        </ButtonRow>
      )}
      {progress && <Progress {...progress} />}
    </Panel>
  )
}

function Progress({ done, total, failures }: BulkProgress) {
  return (
    <div role="status">
      <progress value={done} max={total} aria-label="Progress" />{' '}
      {`${done} of ${total} done, ${failures.length} failed`}
      {failures.length > 0 && (
        <ul>
          {failures.map(([account, message]) => (
            <li key={account}>
              {account}: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
