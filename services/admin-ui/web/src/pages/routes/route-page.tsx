import { useState } from 'react'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import {
  routeActions,
  type RouteRecord,
  routesKey,
  useRoute,
} from '../../data/webhooks/webhook-routes.ts'
import { Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { useNavigate, usePathParameter } from '../../routing/navigation.tsx'
import { routeBody, sourcesOf } from './route-body.ts'
import { RouteErrors } from './route-errors.tsx'
import { RouteForm } from './route-form.tsx'
import { RouteFunctions } from './route-functions.tsx'
import { RouteTest } from './route-test.tsx'

/** Page of one webhook route: settings, functions with a test, and errors of the functions. */
export function RoutePage() {
  const id = usePathParameter('route')
  // The React key separates webhook routes: texts of one route never show on the page of another
  // route.
  return <RouteDetails key={id} id={id} />
}

function RouteDetails({ id }: { id: string }) {
  const load = useRoute(id)
  return (
    <PageBody>
      <Loaded load={load} lines={10}>
        {(route) => <Route route={route} />}
      </Loaded>
    </PageBody>
  )
}

function Route({ route }: { route: RouteRecord }) {
  const may = useRights()
  const mayChange = may('changeRoutes')
  const [sources, setSources] = useState(() => sourcesOf(route))
  const { id } = route
  const update = useAction(
    (values: Readonly<Record<string, string>>) => {
      const { id: _id, ...body } = routeBody(values, sources)
      return routeActions.update({ id, body })
    },
    { refresh: [routesKey] },
  )
  return (
    <PageBody>
      <RouteState route={route} />
      <Panel title="Route" tools={mayChange && <DeleteButton route={route} />}>
        {mayChange ? (
          <RouteForm
            route={route}
            sources={sources}
            onSources={setSources}
            save={update}
            done={update.isDone ? 'The route is saved.' : ''}
          />
        ) : (
          <RouteFunctions sources={sources} />
        )}
      </Panel>
      {mayChange && <RouteTest sources={sources} />}
      <RouteErrors id={id} />
    </PageBody>
  )
}

function RouteState({ route }: { route: RouteRecord }) {
  const { id, name, targetUrl, description, enabled, created, updated, expiresAt } = route
  return (
    <Panel title={name}>
      <Facts
        rows={[
          ['Id', <code key="id">{id}</code>],
          ['Target', targetUrl],
          ['Description', description],
          ['Enabled', enabled ? 'yes' : 'no'],
          ['Deliveries', route.tcount.toLocaleString('en')],
          ['Last error', route.webhookErrorFlag],
          ['Created', <Time key="created" value={created} />],
          ['Changed', <Time key="updated" value={updated} />],
          ['Expires', expiresAt === null ? null : <Time key="expires" value={expiresAt} />],
        ]}
      />
    </Panel>
  )
}

function DeleteButton({ route: { id, name } }: { route: RouteRecord }) {
  const navigate = useNavigate()
  const remove = useAction(routeActions.remove, {
    refresh: [[...routesKey, 'list']],
    onDone: () => navigate({ to: '/routes', replace: true }),
  })
  return (
    <>
      <ConfirmButton
        action="Delete the route"
        question={<p>Waiting deliveries of the route {name} are dropped.</p>}
        onConfirm={() => remove.run(id)}
        isPending={remove.isRunning}
      />
      {remove.error && <ErrorBox error={remove.error} />}
    </>
  )
}
