import { tokenActions, tokensKey } from '../../data/tokens.ts'
import { useAction } from '../../data/use-load.ts'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { operatorTokenBody } from './token-body.ts'

/**
 * Form that creates an access token for scripts of operators, which may call every operation. The
 * value of the token is shown once.
 */
export function OperatorTokenForm() {
  const create = useAction(
    (values: Readonly<Record<string, string>>) =>
      tokenActions.createForOperators(operatorTokenBody(values)),
    { refresh: [tokensKey] },
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
      {create.result && (
        <div role="status">
          <p>Copy the value now. The value is not stored and not shown again.</p>
          <CopyBox text={create.result.token} label="Copy the value" />
        </div>
      )}
    </>
  )
}
