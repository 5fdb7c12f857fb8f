import type { Action } from '../../data/use-load.ts'
import type { RouteRecord } from '../../data/webhooks/webhook-routes.ts'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { type FunctionSources, headersProblem, headersText } from './route-body.ts'
import { RouteFunctions } from './route-functions.tsx'

export interface RouteFormProps {
  /** Webhook route to change. Absent: the form is for a new route. */
  route?: RouteRecord
  sources: FunctionSources
  onSources: (sources: FunctionSources) => void
  save: Pick<Action<Readonly<Record<string, string>>, unknown>, 'run' | 'isRunning' | 'error'>
  /** Text that the form for a webhook route shows after a successful change. */
  done?: string
}

/** Form for a webhook route with its functions. */
export function RouteForm({ route, sources, onSources, save, done = '' }: RouteFormProps) {
  const { name, targetUrl, description, enabled, customHeaders } = route ?? newRoute
  return (
    <Form
      isWide
      submit={route ? 'Save' : 'Create the route'}
      isRunning={save.isRunning}
      error={save.error}
      onSubmit={save.run}
      buttons={<span role="status">{done}</span>}
    >
      <TextField label="Name" name="name" isRequired defaultValue={name} />
      {!route && <TextField label="Id" name="id" hint="Empty: an id is generated." />}
      <TextField label="Target URL" name="targetUrl" isRequired defaultValue={targetUrl} />
      <TextField label="Description" name="description" defaultValue={description} />
      <CheckBox name="enabled" defaultSelected={enabled}>
        Deliver events
      </CheckBox>
      <TextField
        label="HTTP headers"
        name="headers"
        isMultiline
        validate={headersProblem}
        hint="One per line, such as Authorization: Bearer abc. Stored values show as ****** and are kept."
        defaultValue={headersText(customHeaders)}
      />
      <RouteFunctions sources={sources} onSources={onSources} />
    </Form>
  )
}

/** Fields of a new webhook route before the person changes them. */
const newRoute: Pick<
  RouteRecord,
  'name' | 'targetUrl' | 'description' | 'enabled' | 'customHeaders'
> = { name: '', targetUrl: '', description: '', enabled: true, customHeaders: [] }
