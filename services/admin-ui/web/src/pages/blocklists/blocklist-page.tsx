import {
  type BlockedAddress,
  blocklistActions,
  blocklistsKey,
  maxDownloadedAddresses,
  readBlocklist,
  useBlocklist,
} from '../../data/lists/blocklists.ts'
import { isSettled } from '../../data/load-state.ts'
import { saveFile } from '../../data/save-file.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { Pager } from '../../kit/table/pager.tsx'
import { usePageQuery, usePathParameter } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { BlockFields } from './block-fields.tsx'
import { blockOf } from './block-of.ts'
import { writeBlockedFile } from './blocked-file.ts'
import { ImportFile } from './import-file.tsx'

const refresh = [blocklistsKey]

/** Page that lists the addresses on one blocklist. */
export function BlocklistPage() {
  const may = useRights()
  const listId = usePathParameter('list')
  const [query, change] = usePageQuery()
  const load = useBlocklist(listId, pageOf(query))
  return (
    <PageBody>
      <Loaded
        load={load}
        lines={10}
        isEmpty={({ total }) => total === 0}
        empty={<p>The list has no addresses. Recipients who unsubscribe appear here.</p>}
      >
        {({ addresses, total, pages }) => (
          <>
            <Download listId={listId} />
            <DataTable
              label="Addresses"
              rows={addresses}
              columns={columnsOf(listId)}
              keyOf={({ account, recipient }: BlockedAddress) => `${account} ${recipient}`}
            />
            <Pager
              page={pageOf(query)}
              pages={pages}
              total={total}
              noun={total === 1 ? 'address' : 'addresses'}
              onPage={(page) => change({ page: String(page + 1) })}
            />
          </>
        )}
      </Loaded>
      {may('changeBlocklists') && isSettled(load) && (
        <>
          <Panel title="Add an address">
            <AddForm listId={listId} />
          </Panel>
          <Panel title="Add addresses from a CSV file">
            <ImportFile key={listId} listId={listId} />
          </Panel>
        </>
      )}
    </PageBody>
  )
}

function columnsOf(listId: string): readonly Column<BlockedAddress>[] {
  return [
    { title: 'Address', isWide: true, cell: ({ recipient }) => recipient },
    { title: 'Account', cell: ({ account }) => account },
    { title: 'Reason', isWide: true, cell: ({ reason }) => reason },
    { title: 'Source', cell: ({ source }) => source },
    { title: 'Added', cell: ({ created }) => <Time value={created} /> },
    {
      title: 'Actions',
      cell: ({ recipient }) => <RemoveButton listId={listId} recipient={recipient} />,
    },
  ]
}

function RemoveButton({ listId, recipient }: { listId: string; recipient: string }) {
  const may = useRights()
  const remove = useAction(blocklistActions.remove, { refresh })
  if (!may('changeBlocklists')) return '–'
  return (
    <>
      <ConfirmButton
        action="Remove"
        question={<p>{recipient} receives messages of the list again, from all accounts.</p>}
        onConfirm={() => remove.run({ listId, recipient })}
        isPending={remove.isRunning}
      />
      {remove.error && <ErrorBox error={remove.error} />}
    </>
  )
}

function Download({ listId }: { listId: string }) {
  const download = useAction(async () => {
    const addresses = await readBlocklist(listId)
    const text = writeBlockedFile(addresses)
    saveFile(new Blob([text], { type: 'text/csv' }), `blocklist-${listId}.csv`)
    return addresses.length
  })
  return (
    <div>
      <Button onPress={() => download.run(undefined)} isPending={download.isRunning}>
        Download as CSV
      </Button>
      {download.result === maxDownloadedAddresses && (
        <p role="status">
          The file has the newest {download.result.toLocaleString('en')} addresses.
        </p>
      )}
      {download.error && <ErrorBox error={download.error} />}
    </div>
  )
}

function AddForm({ listId }: { listId: string }) {
  const add = useAction(blocklistActions.add, { refresh })
  return (
    <>
      <Form
        submit="Add the address"
        isRunning={add.isRunning}
        error={add.error}
        onSubmit={(values) => add.run({ listId, block: blockOf(values) })}
      >
        <BlockFields />
      </Form>
      <p role="status">
        {add.result && (add.result.added ? 'Added.' : 'The address was on the list before.')}
      </p>
    </>
  )
}
