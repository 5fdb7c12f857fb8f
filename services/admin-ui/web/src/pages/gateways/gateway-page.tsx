import {
  gatewayActions,
  type GatewayRecord,
  gatewaysKey,
  useGateway,
} from '../../data/lists/gateways.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { AppLink, useNavigate, usePathParameter } from '../../routing/navigation.tsx'
import { changesOfGateway, type GatewayValues, valuesOfGateway } from './gateway-body.ts'
import { GatewayForm } from './gateway-form.tsx'
import { GatewayState } from './gateway-state.tsx'

const refresh = [gatewaysKey]

/** Page of one SMTP gateway: state, test message, server. */
export function GatewayPage() {
  const id = usePathParameter('gateway')
  // The React key separates gateways: results of one SMTP gateway never show on the page of
  // another.
  return <GatewayDetails key={id} id={id} />
}

function GatewayDetails({ id }: { id: string }) {
  const load = useGateway(id)
  const may = useRights()
  return (
    <Loaded load={load} lines={10}>
      {(gateway) => (
        <PageBody>
          <Panel title="State">
            <State gateway={gateway} />
          </Panel>
          {may('changeGateways') && <Changes gateway={gateway} />}
        </PageBody>
      )}
    </Loaded>
  )
}

function State({ gateway }: { gateway: GatewayRecord }) {
  const { host, port, secure, user, pass, deliveries, lastUse, lastError } = gateway
  return (
    <Facts
      rows={[
        ['State', <GatewayState key="state" gateway={gateway} />],
        ['Name', gateway.name],
        ['Server', `${host}, port ${port}, ${secure ? 'TLS' : 'STARTTLS if offered'}`],
        ['User name', user ?? 'no login'],
        ['Password', pass === undefined ? 'none' : 'stored, not shown'],
        ['Accepted messages', deliveries.toLocaleString('en')],
        ['Last use', lastUse === null ? 'never' : <Time key="use" value={lastUse} />],
        ['Last error', errorText(lastError)],
        [
          'Time of the error',
          lastError && <Time key="at" value={new Date(lastError.created).toISOString()} />,
        ],
      ]}
    />
  )
}

function errorText(error: GatewayRecord['lastError']): string | undefined {
  if (error === null) return undefined
  const { code, command, response, description } = error
  return [code, command, response ?? description].filter(Boolean).join(' · ')
}

function Changes({ gateway }: { gateway: GatewayRecord }) {
  const { gateway: id, pass } = gateway
  const save = async (values: GatewayValues) => {
    const changes = changesOfGateway(values)
    return (await gatewayActions.change({ gateway: id, changes })).gateway
  }
  return (
    <>
      <Panel title="Test">
        <TestMessage gateway={id} />
      </Panel>
      <Panel title="Settings">
        <GatewayForm
          initial={valuesOfGateway(gateway)}
          submit="Save"
          save={save}
          hasPassword={pass !== undefined}
        />
      </Panel>
      <DeletePanel gateway={id} />
    </>
  )
}

/** Form that sends a test message through a gateway. */
function TestMessage({ gateway }: { gateway: string }) {
  const send = useAction(gatewayActions.sendTest, { refresh })
  return (
    <>
      <Form
        submit="Send a test message"
        isRunning={send.isRunning}
        error={send.error}
        onSubmit={({ account = '', recipient = '' }) => send.run({ gateway, account, recipient })}
      >
        <TextField label="Account id of the sender" name="account" isRequired />
        <TextField label="Recipient" name="recipient" type="email" isRequired />
      </Form>
      {send.isDone && (
        <p role="status">
          The message is queued. The state above shows the result;{' '}
          <AppLink to="/outbox">the outbox</AppLink> shows the attempts.
        </p>
      )}
    </>
  )
}

function DeletePanel({ gateway }: { gateway: string }) {
  const navigate = useNavigate()
  const remove = useAction(gatewayActions.remove, {
    // The deleted gateway itself is not loaded again: the API would respond with 404.
    refresh: [[...gatewaysKey, 'list']],
    onDone: () => navigate({ to: '/gateways', replace: true }),
  })
  return (
    <Panel title="Delete">
      <div>
        <ConfirmButton
          action="Delete the gateway"
          question={<p>The password is deleted. Queued messages that name the gateway fail.</p>}
          typed={gateway}
          onConfirm={() => remove.run(gateway)}
          isPending={remove.isRunning}
        />
      </div>
      {remove.error && <ErrorBox error={remove.error} />}
    </Panel>
  )
}
