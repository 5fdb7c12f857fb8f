import { type RefObject, useRef } from 'react'
import { Columns } from '../../kit/content/panel.tsx'
import { TextList } from '../../kit/content/text-list.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { CheckGrid } from '../../kit/table/check-grid.tsx'
import { useFocusReturn } from '../../kit/use-focus-return.ts'
import { list as operations } from 'virtual:token-operations'
import { PermittedOperations } from './permitted-operations.tsx'
import { scopesOf, type TokenUse } from './token-body.ts'
import {
  alsoPermitted,
  cellsOfChoice,
  cellsOfRecord,
  type ChosenRights,
  gridCells,
  gridColumns,
  gridRows,
  recordOf,
} from './token-grid.ts'
import { presetOf, rightsOfPreset, type TokenPreset, tokenPresets } from './token-presets.ts'

/** Cells of the grid of rights. */
export const cells = gridCells(operations)

export interface RightsChoiceProps {
  use: TokenUse
  /** Id of the account to which the token is bound. Empty: all accounts. */
  account: string
  chosen: ChosenRights
  onChange: (chosen: ChosenRights) => void
}

/** Presets and grid for the rights of a token, with the operations that the choice permits. */
export function RightsChoice({ use, account, chosen, onChange }: RightsChoiceProps) {
  const permitted = useRef<HTMLElement>(null)
  const scopes = scopesOf(use)
  const hasGrid = scopes.includes('api')
  const permissions = hasGrid ? recordOf(chosen, cells) : null
  const token = { scopes, account: account === '' ? null : account, permissions }
  if (!hasGrid) return <PermittedOperations token={token} operations={operations} />
  return (
    <>
      <SelectField
        label="Rights"
        value={presetOf(chosen, cells) ?? 'own'}
        options={choices}
        onChange={(value) => value !== 'own' && onChange(rightsOfPreset(value, cells))}
        hint="A preset, or your own choice in the grid."
      />
      <Columns>
        <div>
          <CheckGrid
            label="Rights of the token"
            rowsTitle="Operations"
            rows={gridRows}
            columns={gridColumns}
            cells={cells}
            selected={cellsOfChoice(chosen, cells)}
            onChange={onChange}
          />
          <p>
            Only the preset Everything permits operations of administration, such as the creation of
            accounts, OAuth2 applications or tokens.
          </p>
        </div>
        <PermittedOperations token={token} operations={operations} sectionRef={permitted} />
      </Columns>
      <WiderRights chosen={chosen} onChange={onChange} permitted={permitted} />
    </>
  )
}

interface WiderRightsProps extends Pick<RightsChoiceProps, 'chosen' | 'onChange'> {
  /** List of the permitted operations. The list takes the focus when the button is removed. */
  permitted: RefObject<HTMLElement | null>
}

/**
 * Rights that an access token with the chosen rights would also permit, and a button that chooses
 * these rights too.
 */
function WiderRights({ chosen, onChange, permitted }: WiderRightsProps) {
  const others = alsoPermitted(chosen, cells)
  const chooseAll = () => onChange(cellsOfRecord(recordOf(chosen, cells), cells))
  return (
    <div role="status">
      {others.length > 0 && (
        <>
          <p>
            A token permits each of its actions in each of its groups. With this choice the token
            would also permit:
          </p>
          <TextList texts={others.map(({ name }) => name)} />
          <ChooseButton onPress={chooseAll} permitted={permitted} />
        </>
      )}
    </div>
  )
}

interface ChooseButtonProps extends Pick<WiderRightsProps, 'permitted'> {
  onPress: () => void
}

function ChooseButton({ onPress, permitted }: ChooseButtonProps) {
  useFocusReturn(permitted)
  return <Button onPress={onPress}>Choose these rights too</Button>
}

const choices: readonly { value: TokenPreset | 'own'; label: string }[] = [
  ...tokenPresets.map(({ name, label }) => ({ value: name, label })),
  { value: 'own', label: 'Own choice' },
]
