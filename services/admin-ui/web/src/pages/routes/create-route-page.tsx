import { useState } from 'react'
import { useAction } from '../../data/use-load.ts'
import { routeActions, routesKey } from '../../data/webhooks/webhook-routes.ts'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { ProblemBox } from '../../kit/states/problem-box.tsx'
import { useNavigate } from '../../routing/navigation.tsx'
import { type FunctionSources, routeBody } from './route-body.ts'
import { RouteForm } from './route-form.tsx'
import { RouteTest } from './route-test.tsx'

/** Page that creates a webhook route, with a test of its functions. */
export function CreateRoutePage() {
  const navigate = useNavigate()
  const [sources, setSources] = useState(firstSources)
  const create = useAction(
    (values: Readonly<Record<string, string>>) => routeActions.create(routeBody(values, sources)),
    {
      refresh: [routesKey],
      onDone: ({ id, created }) =>
        created && navigate({ to: '/routes/$route', params: { route: id } }),
    },
  )
  return (
    <PageBody>
      <Panel title="Route">
        <RouteForm sources={sources} onSources={setSources} save={create} />
        {create.result?.created === false && (
          <ProblemBox title="Not created">
            A route with the id {create.result.id} exists already. Choose another id.
          </ProblemBox>
        )}
      </Panel>
      <RouteTest sources={sources} />
    </PageBody>
  )
}

/** Functions that a new webhook route has before the person changes them. */
const firstSources: FunctionSources = {
  filter: "return payload.event === 'messageNew'\n",
  map: 'return payload\n',
}
