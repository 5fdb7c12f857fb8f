import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { buttonClass } from '../controls/button.tsx'
import css from './overlays.module.css'

/** Action or choice in a menu. */
export interface MenuEntry {
  id: string
  label: string
  /** True for the menu entry that is the chosen one of several choices. */
  isChosen?: boolean
  onChoose: () => void
}

/** Button that opens a menu of actions or choices. */
export function MenuButton({ label, entries }: { label: string; entries: readonly MenuEntry[] }) {
  return (
    <MenuTrigger>
      <Button className={buttonClass('plain')}>{label}</Button>
      <Popover className={css['menu'] ?? ''}>
        <Menu
          className={css['items'] ?? ''}
          aria-label={label}
          onAction={(id) => entries.find((entry) => entry.id === id)?.onChoose()}
        >
          {entries.map(({ id, label: text, isChosen }) => (
            <MenuItem key={id} id={id} className={css['item'] ?? ''} textValue={text}>
              {text}
              {isChosen === true && <span aria-label="chosen">✓</span>}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
