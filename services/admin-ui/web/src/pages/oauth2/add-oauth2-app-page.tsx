import { useState } from 'react'
import { oauth2AppActions, oauth2AppsKey } from '../../data/lists/oauth2-apps.ts'
import { InputError, isSettled } from '../../data/load-state.ts'
import { useSettings } from '../../data/settings.ts'
import { useAction } from '../../data/use-load.ts'
import { providerKinds, providerNames } from '../../data/provider-names.ts'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { FileButton } from '../../kit/controls/file-button.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { ProblemBox } from '../../kit/states/problem-box.tsx'
import { Skeleton } from '../../kit/states/skeleton.tsx'
import { useNavigate } from '../../routing/navigation.tsx'
import { type AppValues, bodyOfApp, kindOf, newAppValues, withProvider } from './app-body.ts'
import { appFields } from './app-fields.ts'
import { AppFormFields } from './app-form-fields.tsx'
import { maxGoogleFileBytes, readGoogleFile } from './google-file.ts'
import { redirectUriOf } from './redirect-uri.ts'
import { RedirectUriPanel } from './redirect-uri-panel.tsx'

/** Page that registers an OAuth2 application, by form or from a file of Google. */
export function AddOAuth2AppPage() {
  const settings = useSettings(['serviceUrl'])
  if (!isSettled(settings)) return <Skeleton lines={8} />
  const uri = redirectUriOf(settings.data?.['serviceUrl'])
  return (
    <PageBody>
      <RedirectUriPanel uri={uri} />
      <AddForm key={uri} uri={uri} />
    </PageBody>
  )
}

function AddForm({ uri }: { uri: string }) {
  const [values, setValues] = useState(newAppValues(uri))
  const navigate = useNavigate()
  const add = useAction(addApp, {
    refresh: [oauth2AppsKey],
    onDone: (app) => navigate({ to: '/oauth2/$app', params: { app } }),
  })
  const set = (name: string, value: string) => setValues({ ...values, [name]: value })
  return (
    <>
      <Panel title="From a file of Google">
        <GoogleImport uri={uri} onValues={(read) => setValues(withProvider(values, read))} />
      </Panel>
      <Panel title="Application">
        <Form
          submit="Add the application"
          isRunning={add.isRunning}
          error={add.error}
          onSubmit={() => add.run(values)}
        >
          <SelectField
            label="Provider"
            value={kindOf(values).provider}
            options={providerKinds.map((value) => ({ value, label: providerNames[value] }))}
            onChange={(provider) => setValues(withProvider(values, { provider }))}
          />
          <TextField
            label="Application id (optional)"
            hint="Accounts name this id. Chosen automatically if empty."
            value={values['id'] ?? ''}
            onChange={(id) => set('id', id)}
          />
          <AppFormFields fields={appFields(kindOf(values))} values={values} onChange={set} />
        </Form>
      </Panel>
    </>
  )
}

/** Registers an OAuth2 application, and returns its id. */
async function addApp(values: AppValues): Promise<string> {
  const { id, created } = await oauth2AppActions.add(bodyOfApp(values))
  if (!created) throw new InputError(`The application id ${id} exists already. Choose another id.`)
  return id
}

interface GoogleImportProps {
  uri: string
  onValues: (values: AppValues) => void
}

function GoogleImport({ uri, onValues }: GoogleImportProps) {
  const [result, setResult] = useState<{ problem?: string; warning?: string }>()
  const read = (text: string) => {
    try {
      const { values, ...rest } = readGoogleFile(text, uri)
      onValues(values)
      setResult(rest)
    } catch (error) {
      setResult({ problem: (error as Error).message })
    }
  }
  return (
    <>
      <p>
        JSON file of the Google Cloud console: OAuth client, key of a service account, or external
        account. The file fills the form below and is not stored.
      </p>
      <FileButton
        label="Choose the JSON file"
        types={['.json', 'application/json']}
        maxBytes={maxGoogleFileBytes}
        onText={read}
      />
      {result?.problem !== undefined && (
        <ProblemBox title="The file cannot be used">{result.problem}</ProblemBox>
      )}
      {result !== undefined && result.problem === undefined && (
        <p role="status">The form has the values of the file. {result.warning ?? ''}</p>
      )}
    </>
  )
}
