import { useAccountLog } from '../../data/account-log.ts'
import { accountActions, accountsKey, useAccount } from '../../data/accounts.ts'
import { saveFile } from '../../data/save-file.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'
import { AccountFrame } from './account-frame.tsx'
import { MailGate } from './mail-gate.tsx'

/** Page with the protocol log of an account, and the switch that records the log. */
export function LogPage() {
  return (
    <AccountFrame>
      {(account) => (
        <PageBody>
          <Recording account={account} />
          <MailGate>
            <Log account={account} />
          </MailGate>
        </PageBody>
      )}
    </AccountFrame>
  )
}

function Recording({ account }: { account: string }) {
  const may = useRights()
  const load = useAccount(account)
  const change = useAction((logs: boolean) => accountActions.update({ account, body: { logs } }), {
    refresh: [accountsKey],
  })
  return (
    <Panel title="Recording">
      <Loaded load={load} lines={2}>
        {({ logs = false }) => (
          <>
            <div>
              <Badge tone={logs ? 'good' : 'neutral'}>{logs ? 'on' : 'off'}</Badge>
            </div>
            <p>Commands and responses of mail servers are recorded, without credentials.</p>
            {may('changeAccounts') && (
              <ButtonRow>
                <Button onPress={() => change.run(!logs)} isPending={change.isRunning}>
                  {logs ? 'Switch off' : 'Switch on'}
                </Button>
              </ButtonRow>
            )}
          </>
        )}
      </Loaded>
      {change.error && <ErrorBox error={change.error} />}
    </Panel>
  )
}

function Log({ account }: { account: string }) {
  const [query, change] = usePageQuery()
  const isLive = query['live'] === 'true'
  const load = useAccountLog(account, isLive)
  return (
    <Panel title="Protocol log">
      <ButtonRow>
        <Button onPress={load.retry}>Read again</Button>
        <CheckBox
          isSelected={isLive}
          onChange={(isSelected) => change({ live: isSelected ? 'true' : '' })}
        >
          Read again every 10 s
        </CheckBox>
        <Button onPress={() => saveFile(load.data ?? '', 'protocol.log')} isDisabled={!load.data}>
          Download
        </Button>
      </ButtonRow>
      <Loaded
        load={load}
        lines={10}
        isEmpty={(text) => text.trim() === ''}
        empty={<p>The log has no lines yet. Lines appear here while the recording is on.</p>}
      >
        {(text) => <pre tabIndex={0}>{text}</pre>}
      </Loaded>
    </Panel>
  )
}
