import {
  Autocomplete,
  Input,
  Menu,
  MenuItem,
  SearchField,
  Text,
  Dialog,
} from 'react-aria-components'
import controls from '../controls/controls.module.css'
import { Overlay } from './dialog.tsx'
import css from './overlays.module.css'

/** Entry in the list of results of a search dialog. */
export interface SearchResult {
  id: string
  label: string
  /** Kind of the search result, such as `Page`. */
  kind: string
}

export interface SearchDialogProps {
  label: string
  isOpen: boolean
  onClose: () => void
  text: string
  onText: (text: string) => void
  results: readonly SearchResult[]
  onChoose: (id: string) => void
}

/** Dialog with a search field and a list of results, for use by keyboard. */
export function SearchDialog(props: SearchDialogProps) {
  const { label, isOpen, onClose, text, onText } = props
  return (
    <Overlay isOpen={isOpen} onClose={onClose}>
      <Dialog className={css['dialog'] ?? ''} aria-label={label}>
        <Autocomplete inputValue={text} onInputChange={onText}>
          <SearchField aria-label={label} autoFocus>
            <Input className={controls['input'] ?? ''} placeholder={label} />
          </SearchField>
          <Results {...props} />
        </Autocomplete>
      </Dialog>
    </Overlay>
  )
}

function Results({ label, results, onChoose }: SearchDialogProps) {
  return (
    <Menu
      className={css['items'] ?? ''}
      aria-label={label}
      items={results}
      onAction={(id) => onChoose(String(id))}
      renderEmptyState={() => <div className={css['none']}>Nothing found.</div>}
    >
      {(result) => (
        <MenuItem id={result.id} className={css['item'] ?? ''} textValue={result.label}>
          <Text slot="label">{result.label}</Text>
          <Text slot="description" className={css['hint'] ?? ''}>
            {result.kind}
          </Text>
        </MenuItem>
      )}
    </Menu>
  )
}
