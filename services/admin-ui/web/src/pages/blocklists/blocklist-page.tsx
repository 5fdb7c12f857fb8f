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
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { usePageQuery, usePathParameter } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { BlockFields } from './block-fields.tsx'
import { blockOf } from './block-of.ts'
import { writeBlockedFile } from './blocked-file.ts'
import { ImportFile } from './import-file.tsx'

const refresh = [blocklistsKey]

/** Page that lists the addresses on one blocklist. */
export function BlocklistPage() {
  const listId = usePathParameter('list')
  // The React key separates blocklists: an address of one blocklist must not be removed from
  // another blocklist.
  return <Addresses key={listId} listId={listId} />
}

function Addresses({ listId }: { listId: string }) {
  const may = useRights()
  const [query] = usePageQuery()
  const load = useBlocklist(listId, pageOf(query))
  return (
    <PageBody>
      <PagedList
        load={load}
        lines={10}
        rows={({ addresses }) => addresses}
        empty={<p>The list has no addresses. Recipients who unsubscribe appear here.</p>}
        head={() => <Download listId={listId} />}
        label="Addresses"
        columns={columnsOf(listId)}
        keyOf={({ account, recipient }: BlockedAddress) => `${account} ${recipient}`}
        noun="address"
        plural="addresses"
      />
      {may('changeBlocklists') && isSettled(load) && (
        <>
          <Panel title="Add an address">
            <AddForm listId={listId} />
          </Panel>
          <Panel title="Add addresses from a CSV file">
            <ImportFile listId={listId} />
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
    saveFile(writeBlockedFile(addresses), `blocklist-${listId}.csv`)
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
