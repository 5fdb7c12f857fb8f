import { tokenActions, tokensKey } from '../../data/tokens.ts'
import { useAction } from '../../data/use-load.ts'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { NewTokenValues, useNewTokenValues } from './new-token-values.tsx'
import { operatorTokenBody } from './token-body.ts'

/**
 * Form that creates access tokens for scripts of operators. These tokens permit every operation.
 * The values of the tokens are shown until the page is left.
 */
export function OperatorTokenForm() {
  const [created, addCreated] = useNewTokenValues()
  const create = useAction(
    (values: Readonly<Record<string, string>>) =>
      tokenActions.createForOperators(operatorTokenBody(values)),
    {
      refresh: [tokensKey],
      onDone: ({ token }, { description = '' }) => addCreated({ token, description }),
    },
  )
  return (
    <>
      <p>
        For scripts of operators. The token may call every operation for all accounts, also the
        operations below /admin/api.
      </p>
      <Form
        submit="Create the operator token"
        isRunning={create.isRunning}
        error={create.error}
        onSubmit={(values) => create.run(values)}
      >
        <TextField label="Name of the script" name="description" isRequired />
        <TextField
          label="Client addresses"
          name="addresses"
          hint="IP addresses and ranges that may use the token, separated by commas. Empty: all."
        />
        <TextField label="Expires" name="expires" type="datetime-local" hint="Empty: never." />
      </Form>
      <NewTokenValues values={created} />
    </>
  )
}
