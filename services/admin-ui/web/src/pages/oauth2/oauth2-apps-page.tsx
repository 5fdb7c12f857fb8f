import { type OAuth2App, useOAuth2Apps } from '../../data/lists/oauth2-apps.ts'
import { useRights } from '../../data/session.ts'
import { providerKinds, providerNames } from '../../data/provider-names.ts'
import { Filters, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { buttonClass } from '../../kit/controls/button.tsx'
import { QuerySelectField } from '../../kit/forms/query-fields.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { Pager } from '../../kit/table/pager.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { AppState } from './app-state.tsx'

/** Page that lists OAuth2 applications by provider. */
export function OAuth2AppsPage() {
  const may = useRights()
  const [query] = usePageQuery()
  const load = useOAuth2Apps(pageOf(query))
  const chosen = providerKinds.find((kind) => kind === query['provider'])
  return (
    <PageBody lead="Applications at mail providers, with which accounts sign in without a password.">
      {may('changeOAuth2Apps') && (
        <div>
          <AppLink to="/add-oauth2-app" className={buttonClass('primary')}>
            Add an OAuth2 application
          </AppLink>
        </div>
      )}
      <Filters>
        <QuerySelectField
          label="Provider"
          name="provider"
          value={chosen ?? ''}
          options={[
            { value: '', label: 'all' },
            ...providerKinds.map((value) => ({ value, label: providerNames[value] })),
          ]}
        />
      </Filters>
      <Loaded
        load={load}
        isEmpty={({ apps }) => !apps.some(({ provider }) => provider === (chosen ?? provider))}
        empty={<NoApps />}
      >
        {({ apps, total, pages }) => (
          <>
            {providerKinds
              .filter((kind) => chosen === undefined || kind === chosen)
              .map((kind) => (
                <Group
                  key={kind}
                  title={providerNames[kind]}
                  apps={apps.filter(({ provider }) => provider === kind)}
                />
              ))}
            <Pager pages={pages} total={total} noun="application" />
          </>
        )}
      </Loaded>
    </PageBody>
  )
}

function NoApps() {
  const may = useRights()
  return (
    <>
      <p>OAuth2 applications appear here. Accounts of Google and Microsoft need one.</p>
      {may('changeOAuth2Apps') && <AppLink to="/add-oauth2-app">Add an OAuth2 application</AppLink>}
    </>
  )
}

function Group({ title, apps }: { title: string; apps: readonly OAuth2App[] }) {
  if (apps.length === 0) return null
  return (
    <Panel title={title}>
      <DataTable label={title} rows={apps} columns={columns} keyOf={({ id }: OAuth2App) => id} />
    </Panel>
  )
}

const columns: readonly Column<OAuth2App>[] = [
  {
    title: 'Name',
    isWide: true,
    cell: ({ id, name }) => (
      <AppLink to="/oauth2/$app" params={{ app: id }}>
        {name}
      </AppLink>
    ),
  },
  { title: 'Id', cell: ({ id }) => id },
  { title: 'State', cell: (app) => <AppState app={app} /> },
  { title: 'Access', cell: ({ baseScopes = 'imap' }) => baseScopes },
  {
    title: 'Client',
    isWide: true,
    cell: ({ clientId, serviceClientEmail }) => clientId ?? serviceClientEmail ?? '–',
  },
  {
    title: 'Last error',
    isWide: true,
    cell: ({ lastError, pubSubError }) => lastError?.response ?? pubSubError?.message ?? '–',
  },
  { title: 'Changed', cell: ({ updated }) => <Time value={updated} /> },
]
