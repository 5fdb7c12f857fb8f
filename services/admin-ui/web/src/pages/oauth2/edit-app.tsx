import { useState } from 'react'
import {
  oauth2AppActions,
  type OAuth2AppRecord,
  oauth2AppsKey,
} from '../../data/lists/oauth2-apps.ts'
import { useAction } from '../../data/use-load.ts'
import { Form } from '../../kit/forms/form.tsx'
import { changesOfApp, kindOf, valuesOfApp } from './app-body.ts'
import { appFields } from './app-fields.ts'
import { AppFormFields } from './app-form-fields.tsx'

/** Form that changes an OAuth2 application. Stored secrets are not shown. */
export function EditApp({ app }: { app: OAuth2AppRecord }) {
  const [values, setValues] = useState(valuesOfApp(app))
  const change = useAction(oauth2AppActions.change, {
    refresh: [oauth2AppsKey],
    onDone: () => setValues({ ...values, clientSecret: '', serviceKey: '', externalAccount: '' }),
  })
  const fields = appFields(kindOf(values)).filter(({ isFixed }) => isFixed !== true)
  const stored = new Set(
    (['clientSecret', 'serviceKey', 'externalAccount'] as const).filter((name) => app[name]),
  )
  return (
    <>
      <Form
        submit="Save"
        isRunning={change.isRunning}
        error={change.error}
        onSubmit={() => change.run({ app: app.id, changes: changesOfApp(values) })}
      >
        <AppFormFields
          fields={fields}
          values={values}
          stored={stored}
          onChange={(name, value) => setValues({ ...values, [name]: value })}
        />
      </Form>
      {change.result && <p role="status">Saved. {(change.result.warnings ?? []).join(' ')}</p>}
    </>
  )
}
