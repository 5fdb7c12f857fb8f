import { useState } from 'react'
import type { PasskeyEntry } from '../../data/admin-types.ts'
import { ownActions, passkeysKey, usePasskeys } from '../../data/own-factors.ts'
import { createPasskey, hasPasskeys } from '../../data/passkey.ts'
import { sessionKey } from '../../data/query-client.ts'
import { useAction } from '../../data/use-load.ts'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { Dialog } from '../../kit/overlays/dialog.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'

const refresh = [passkeysKey, sessionKey]

/** Panel that lists and creates passkeys of the signed-in person. */
export function Passkeys() {
  const load = usePasskeys()
  const create = useAction(createPasskey, { refresh })
  const button = hasPasskeys() && (
    <Button onPress={() => create.run(undefined)} isPending={create.isRunning}>
      Add a passkey
    </Button>
  )
  return (
    <Panel title="Passkeys" tools={button}>
      {create.error && <ErrorBox error={create.error} />}
      {!hasPasskeys() && (
        <p>
          No passkey can be added here: the browser does not support passkeys, or the address of
          this page has no host name or no HTTPS. On this machine, open the pages at
          http://localhost.
        </p>
      )}
      <Loaded
        load={load}
        lines={2}
        isEmpty={({ passkeys }) => passkeys.length === 0}
        empty={
          <p>
            Passkeys of this device or of a security key appear here. They are valid for the host
            name of this page only.
          </p>
        }
      >
        {({ passkeys }) => (
          <DataTable
            label="Passkeys"
            rows={passkeys}
            columns={columns}
            keyOf={({ id }: PasskeyEntry) => id}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columns: readonly Column<PasskeyEntry>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Added', cell: ({ createdAt }) => <Time value={createdAt} /> },
  { title: 'Used', cell: ({ usedAt }) => (usedAt ? <Time value={usedAt} /> : 'never') },
  { title: 'Actions', cell: (passkey) => <PasskeyActions passkey={passkey} /> },
]

function PasskeyActions({ passkey: { id, name } }: { passkey: PasskeyEntry }) {
  const [isRenaming, setRenaming] = useState(false)
  const close = () => setRenaming(false)
  const rename = useAction(ownActions.renamePasskey, { refresh, onDone: close })
  const remove = useAction(ownActions.removePasskey, { refresh })
  return (
    <ButtonRow>
      <Button onPress={() => setRenaming(true)}>Rename</Button>
      <ConfirmButton
        action="Remove"
        question={<p>You can no longer sign in with the passkey {name}.</p>}
        onConfirm={() => remove.run(id)}
        isPending={remove.isRunning}
      />
      {remove.error && <ErrorBox error={remove.error} />}
      <Dialog title="Rename the passkey" isOpen={isRenaming} onClose={close}>
        <Form
          submit="Rename"
          isRunning={rename.isRunning}
          error={rename.error}
          onSubmit={(values) => rename.run({ id, name: values['name'] ?? '' })}
        >
          <TextField label="Name" name="name" defaultValue={name} isRequired autoFocus />
        </Form>
      </Dialog>
    </ButtonRow>
  )
}
