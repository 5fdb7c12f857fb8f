import { useState } from 'react'
import { tokenActions, tokensKey } from '../../data/tokens.ts'
import { useAction } from '../../data/use-load.ts'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { NewTokenValues, useNewTokenValues } from './new-token-values.tsx'
import { cells, RightsChoice } from './rights-choice.tsx'
import { permissionsOf, tokenBody, type TokenUse, tokenUses } from './token-body.ts'
import type { ChosenRights } from './token-grid.ts'
import { rightsOfPreset } from './token-presets.ts'

/** Form that creates access tokens, whose values are shown until the page is left. */
export function NewTokenForm({ account: firstAccount }: { account: string }) {
  const [use, setUse] = useState<TokenUse>('api')
  const [account, setAccount] = useState(firstAccount)
  const [chosen, setChosen] = useState<ChosenRights>(() => rightsOfPreset('read', cells))
  const [created, addCreated] = useNewTokenValues()
  const create = useAction(
    async (values: Readonly<Record<string, string>>) => {
      const permissions = permissionsOf({ use, chosen }, cells)
      return tokenActions.create(tokenBody(values, { use, permissions }))
    },
    {
      refresh: [tokensKey],
      onDone: ({ token }, { description = '' }) => addCreated({ token, description }),
    },
  )
  return (
    <>
      <Form
        isWide
        submit="Create the token"
        isRunning={create.isRunning}
        error={create.error}
        onSubmit={(values) => create.run(values)}
      >
        <TextField label="Description" name="description" isRequired />
        <SelectField label="Use" value={use} onChange={setUse} options={tokenUses} />
        <TextField
          label="Account id"
          name="account"
          value={account}
          onChange={setAccount}
          hint="Empty: the token is for all accounts."
        />
        <RightsChoice use={use} account={account} chosen={chosen} onChange={setChosen} />
        <Restrictions />
      </Form>
      <NewTokenValues values={created} />
    </>
  )
}

/** Fields for the restrictions of an access token and its expiry. */
function Restrictions() {
  return (
    <>
      <TextField
        label="Client addresses"
        name="addresses"
        hint="IP addresses and ranges that may use the token, separated by commas. Empty: all."
      />
      <TextField
        label="Referrers"
        name="referrers"
        isMultiline
        hint="Patterns of Referer headers, one per line. An asterisk matches any text. Empty: all."
      />
      <TextField
        label="Rate limit: requests"
        name="maxRequests"
        type="number"
        hint="Maximum number of requests in each time window. Empty: no limit."
      />
      <TextField
        label="Rate limit: time window"
        name="timeWindow"
        type="number"
        hint="Length of the time window in seconds."
      />
      <TextField label="Expires" name="expires" type="datetime-local" hint="Empty: never." />
    </>
  )
}
