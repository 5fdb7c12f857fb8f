import { useState } from 'react'
import { type RouteTrial, tryRoute } from '../../data/events/events.ts'
import { useAction } from '../../data/use-load.ts'
import { useMailRight } from '../../data/use-mail-right.ts'
import { type RouteEntry, useRouteChoices } from '../../data/webhooks/webhook-routes.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'

/** Form that runs the functions of a stored webhook route with the body of an event. */
export function TryRoute({ event }: { event: string }) {
  const load = useRouteChoices()
  return (
    <Loaded
      load={load}
      lines={3}
      isEmpty={({ webhooks }) => webhooks.length === 0}
      empty={<p>There is no webhook route yet. Create a route on the page Routes.</p>}
    >
      {({ webhooks }) => <RouteForm event={event} routes={webhooks} />}
    </Loaded>
  )
}

function RouteForm({ event, routes }: { event: string; routes: readonly RouteEntry[] }) {
  const [chosen, choose] = useState('')
  const right = useMailRight()
  const trial = useAction(tryRoute)
  const route = chosen || (routes[0]?.id ?? '')
  return (
    <>
      <p>The filter and the map function run with the body of the event. Nothing is sent.</p>
      <SelectField
        label="Route"
        options={routes.map(({ id, name }) => ({ value: id, label: name }))}
        value={route}
        onChange={(id) => {
          choose(id)
          trial.reset()
        }}
      />
      <div>
        <Button onPress={() => trial.run({ event, route })} isPending={trial.isRunning}>
          Try the route
        </Button>
      </div>
      {trial.error && <ErrorBox error={trial.error} />}
      {trial.result && right === 'active' && <Result trial={trial.result} />}
    </>
  )
}

function Result({ trial: { applies, payload, errors, logs } }: { trial: RouteTrial }) {
  return (
    <div role="status">
      <p>
        {applies ? (
          <Badge tone="good">The filter accepts the event</Badge>
        ) : (
          <Badge tone="warn">The filter rejects the event</Badge>
        )}
      </p>
      {errors.map((error) => (
        <p key={error.function}>
          Error of the {error.function} function: {error.message}
        </p>
      ))}
      {logs.length > 0 && <pre>{logs.join('\n')}</pre>}
      {payload !== undefined && (
        <>
          <p>Body that the route delivers:</p>
          <pre>{JSON.stringify(payload, null, 2)}</pre>
        </>
      )}
    </div>
  )
}
