import { useRights } from '../../data/session.ts'
import { type TokenRecord, tokenActions, tokensKey, useTokens } from '../../data/tokens.ts'
import { useAction } from '../../data/use-load.ts'
import { Filters, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { Pager } from '../../kit/table/pager.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { NewTokenForm } from './new-token-form.tsx'
import { OperatorTokenForm } from './operator-token-form.tsx'

/** Page that lists access tokens of the API, of mail clients and of SMTP. */
export function TokensPage() {
  const may = useRights()
  const [query, change] = usePageQuery()
  const load = useTokens(pageOf(query), query['account'])
  return (
    <PageBody>
      {may('changeTokens') && (
        <Panel title="Create a token">
          <NewTokenForm />
        </Panel>
      )}
      {may('createOperatorTokens') && (
        <Panel title="Create an operator token">
          <OperatorTokenForm />
        </Panel>
      )}
      <Filters>
        <TextField
          label="Account"
          type="search"
          isSearch
          value={query['account'] ?? ''}
          onChange={(account) => change({ account, page: '' })}
        />
      </Filters>
      <Loaded
        load={load}
        isEmpty={({ tokens }) => tokens.length === 0}
        empty={<p>Tokens appear here. Their values are shown once, when a token is created.</p>}
      >
        {({ tokens, total, pages }) => (
          <>
            <DataTable
              label="Tokens"
              rows={tokens}
              columns={columns}
              keyOf={({ id }: TokenRecord) => id}
            />
            <Pager
              page={pageOf(query)}
              pages={pages}
              total={total}
              noun={total === 1 ? 'token' : 'tokens'}
              onPage={(page) => change({ page: String(page + 1) })}
            />
          </>
        )}
      </Loaded>
    </PageBody>
  )
}

const columns: readonly Column<TokenRecord>[] = [
  {
    title: 'Description',
    isWide: true,
    cell: ({ description, id }) => description ?? `${id.slice(0, 12)}…`,
  },
  { title: 'Account', cell: ({ account }) => account ?? 'all' },
  { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { title: 'Rights', isWide: true, cell: ({ permissions }) => rightsText(permissions) },
  { title: 'Created', cell: ({ created }) => <Time value={created} /> },
  { title: 'Expires', cell: ({ expires }) => (expires ? <Time value={expires} /> : 'never') },
  {
    title: 'Last use',
    cell: ({ access }) => (access.time ? <Time value={access.time} /> : 'never'),
  },
  { title: 'Actions', cell: (token) => <DeleteButton token={token} /> },
]

function rightsText(permissions: TokenRecord['permissions']): string {
  if (!permissions) return 'everything'
  const { actions, groups } = permissions
  return `${actions?.join(', ') ?? 'all actions'} in ${groups?.join(', ') ?? 'all groups'}`
}

function DeleteButton({ token: { id, description } }: { token: TokenRecord }) {
  const may = useRights()
  const remove = useAction(tokenActions.remove, { refresh: [tokensKey] })
  if (!may('changeTokens')) return '–'
  return (
    <>
      <ConfirmButton
        action="Delete"
        question={<p>Programs with the token {description ?? id} lose their access.</p>}
        onConfirm={() => remove.run(id)}
        isPending={remove.isRunning}
      />
      {remove.error && <ErrorBox error={remove.error} />}
    </>
  )
}
