import {
  type Blocklist,
  blocklistActions,
  blocklistsKey,
  useBlocklists,
} from '../../data/lists/blocklists.ts'
import { isSettled } from '../../data/load-state.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, useNavigate, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { BlockFields } from './block-fields.tsx'
import { blockOf } from './block-of.ts'

/** Page that lists the blocklists, with the numbers of their addresses. */
export function BlocklistsPage() {
  const may = useRights()
  const [query] = usePageQuery()
  const load = useBlocklists(pageOf(query))
  return (
    <PageBody lead="Addresses that receive no messages of a mailing list, by list.">
      <PagedList
        load={load}
        rows={({ blocklists }) => blocklists}
        empty={<p>Blocklists appear here when a recipient unsubscribes, or an address is added.</p>}
        label="Blocklists"
        columns={columns}
        keyOf={({ listId }: Blocklist) => listId}
        noun="blocklist"
      />
      {may('changeBlocklists') && isSettled(load) && (
        <Panel title="Add an address to a list">
          <AddForm />
        </Panel>
      )}
    </PageBody>
  )
}

const columns: readonly Column<Blocklist>[] = [
  {
    title: 'List',
    isWide: true,
    cell: ({ listId }) => (
      <AppLink to="/blocklists/$list" params={{ list: listId }}>
        {listId}
      </AppLink>
    ),
  },
  { title: 'Addresses', cell: ({ count }) => count.toLocaleString('en') },
]

/** Form that adds an address to a blocklist. The first address creates the blocklist. */
function AddForm() {
  const navigate = useNavigate()
  const add = useAction(blocklistActions.add, {
    refresh: [blocklistsKey],
    onDone: (_result, { listId }) =>
      navigate({ to: '/blocklists/$list', params: { list: listId.toLowerCase() } }),
  })
  return (
    <Form
      submit="Add the address"
      isRunning={add.isRunning}
      error={add.error}
      onSubmit={(values) => add.run({ listId: values['list'] ?? '', block: blockOf(values) })}
    >
      <TextField
        label="List id"
        name="list"
        isRequired
        hint="Value of listId in submissions, with the syntax of a host name."
      />
      <BlockFields />
    </Form>
  )
}
