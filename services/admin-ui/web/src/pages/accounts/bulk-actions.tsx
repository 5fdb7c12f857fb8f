import { accountActions } from '../../data/accounts.ts'
import { useRights } from '../../data/session.ts'
import { useBulkRun } from '../../data/use-bulk-run.ts'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { BulkState } from '../../kit/states/bulk-state.tsx'

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
  const bulk = useBulkRun()
  const start = async (run: (account: string) => Promise<unknown>) => {
    const { failures } = await bulk.start([...keys], run)
    onDone(failures.map(([account]) => account))
  }
  const count = `${keys.size} ${keys.size === 1 ? 'account' : 'accounts'}`
  return (
    <Panel title={`${count} selected`}>
      {bulk.isRunning ? (
        <Button onPress={bulk.stop}>Stop</Button>
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
      {bulk.progress && <BulkState {...bulk.progress} />}
    </Panel>
  )
}
