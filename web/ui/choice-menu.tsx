// An icon that opens a menu of which one is chosen.

import { IconButton, type IconButtonProps } from './button.tsx'
import { MenuButton } from './menu.tsx'

interface ChoiceMenuProps<Id>
  extends Pick<IconButtonProps, 'label' | 'icon' | 'shortcut' | 'size'> {
  choices: readonly { id: Id; label: string }[]
  chosen: Id
  onChoose(id: Id): void
}

export function ChoiceMenu<Id>({ choices, chosen, onChoose, ...button }: ChoiceMenuProps<Id>) {
  return (
    <MenuButton
      label={button.label}
      items={() =>
        choices.map(({ id, label }) => ({
          id: String(id),
          label,
          checked: id === chosen,
          onSelect: () => onChoose(id),
        }))
      }
    >
      {(trigger) => <IconButton {...trigger} {...button} />}
    </MenuButton>
  )
}
