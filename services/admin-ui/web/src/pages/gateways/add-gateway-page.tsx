import { gatewayActions } from '../../data/lists/gateways.ts'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { useNavigate } from '../../routing/navigation.tsx'
import { bodyOfGateway, newGatewayValues } from './gateway-body.ts'
import { GatewayForm } from './gateway-form.tsx'

/** Page that registers an SMTP gateway. */
export function AddGatewayPage() {
  const navigate = useNavigate()
  return (
    <PageBody>
      <Panel title="Server">
        <GatewayForm
          initial={newGatewayValues}
          submit="Add the gateway"
          save={(values) => gatewayActions.add(bodyOfGateway(values))}
          onDone={(gateway) => navigate({ to: '/gateways/$gateway', params: { gateway } })}
        />
      </Panel>
    </PageBody>
  )
}
