import {
  oauth2AppActions,
  type OAuth2AppRecord,
  oauth2AppsKey,
  useOAuth2App,
} from '../../data/lists/oauth2-apps.ts'
import { isSettled } from '../../data/load-state.ts'
import { useRights } from '../../data/session.ts'
import { useSettings } from '../../data/settings.ts'
import { useAction } from '../../data/use-load.ts'
import { providerNames } from '../../data/provider-names.ts'
import { Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { Skeleton } from '../../kit/states/skeleton.tsx'
import { DataTable } from '../../kit/table/data-table.tsx'
import { useNavigate, usePathParameter } from '../../routing/navigation.tsx'
import { hasSignIns } from './app-fields.ts'
import { AppState } from './app-state.tsx'
import { CheckApp } from './check-app.tsx'
import { EditApp } from './edit-app.tsx'
import { redirectUriOf } from './redirect-uri.ts'
import { RedirectUriPanel } from './redirect-uri-panel.tsx'

/** Page of one OAuth2 application: state, check, settings, use of the mail API. */
export function OAuth2AppPage() {
  const id = usePathParameter('app')
  // The React key separates OAuth2 applications: results of one application never show on the page
  // of another application.
  return <AppDetails key={id} id={id} />
}

function AppDetails({ id }: { id: string }) {
  const load = useOAuth2App(id)
  const settings = useSettings(['serviceUrl'])
  const may = useRights()
  if (!isSettled(load) || !isSettled(settings)) return <Skeleton lines={8} />
  const uri = redirectUriOf(settings.data?.['serviceUrl'])
  return (
    <Loaded load={load}>
      {(app) => (
        <PageBody>
          <Panel title="State">
            <State app={app} />
          </Panel>
          {may('changeOAuth2Apps') && (
            <Panel title="Check">
              <CheckApp app={app} />
            </Panel>
          )}
          {hasSignIns(app.provider) && <RedirectUriPanel uri={uri} />}
          {may('changeOAuth2Apps') && (
            <Panel title="Settings">
              <EditApp app={app} />
            </Panel>
          )}
          {app.quotaUse.length > 0 && <Use app={app} />}
          {may('changeOAuth2Apps') && <DeletePanel app={app} />}
        </PageBody>
      )}
    </Loaded>
  )
}

function State({ app }: { app: OAuth2AppRecord }) {
  const { lastError, pubSubError } = app
  return (
    <Facts
      rows={[
        ['State', <AppState key="state" app={app} />],
        ['Name', app.name],
        ['Provider', providerNames[app.provider]],
        ['Access to mail', app.baseScopes ?? 'imap'],
        ['Client', app.clientId ?? app.serviceClientEmail],
        ['Redirect URI', app.redirectUrl],
        ['Accounts', app.accounts.toLocaleString('en')],
        ['Secrets', secretsText(app)],
        ['Last error', lastError?.response],
        ['Error of Pub/Sub', pubSubError?.message],
        ['Added', <Time key="added" value={app.created} />],
        ['Changed', <Time key="changed" value={app.updated} />],
      ]}
    />
  )
}

function secretsText({ clientSecret, serviceKey, externalAccount }: OAuth2AppRecord): string {
  const stored = [
    ...(clientSecret === undefined ? [] : ['client secret']),
    ...(serviceKey === undefined ? [] : ['private key']),
    ...(externalAccount === undefined ? [] : ['external account']),
  ]
  return stored.length === 0 ? 'none' : `${stored.join(', ')} (stored, not shown)`
}

type Use = OAuth2AppRecord['quotaUse'][number]

function Use({ app: { quotaUse } }: { app: OAuth2AppRecord }) {
  return (
    <Panel title="Use of the mail API">
      <DataTable
        label="Use of the mail API"
        rows={quotaUse}
        columns={useColumns}
        keyOf={({ date }: Use) => date}
      />
    </Panel>
  )
}

const useColumns = [
  { title: 'Day (UTC)', cell: ({ date }: Use) => date },
  { title: 'Requests', cell: ({ requests }: Use) => requests.toLocaleString('en') },
  { title: 'Quota units', cell: ({ units }: Use) => units.toLocaleString('en') },
  { title: 'Refused', cell: ({ limited }: Use) => limited.toLocaleString('en') },
]

function DeletePanel({ app: { id, accounts } }: { app: OAuth2AppRecord }) {
  const navigate = useNavigate()
  const remove = useAction(oauth2AppActions.remove, {
    // The deleted application itself is not loaded again: the API would respond with 404.
    refresh: [[...oauth2AppsKey, 'list']],
    onDone: () => navigate({ to: '/oauth2', replace: true }),
  })
  const count = `${accounts.toLocaleString('en')} ${accounts === 1 ? 'account' : 'accounts'}`
  return (
    <Panel title="Delete">
      <div>
        <ConfirmButton
          action="Delete the application"
          question={
            <p>
              The secrets are deleted. {count} with this application can no longer sign in at the
              provider.
            </p>
          }
          typed={id}
          onConfirm={() => remove.run(id)}
          isPending={remove.isRunning}
        />
      </div>
      {remove.error && <ErrorBox error={remove.error} />}
    </Panel>
  )
}
