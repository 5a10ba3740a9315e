// A record that is edited in a form: each control is bound to its field by name.

export interface ControlProps<V> {
  value: V
  onChange: (value: V) => void
}

/** The fields of a record and the controls they are bound to. */
export interface FormPart<T> {
  draft: T
  set: (change: Partial<T>) => void
  field: <K extends keyof T>(name: K) => ControlProps<T[K]>
  toggle: <K extends keyof T>(name: K) => { checked: T[K]; onChange: (checked: T[K]) => void }
  part: <K extends keyof T>(name: K) => FormPart<T[K]>
}

export function partOf<T>(draft: T, set: FormPart<T>['set']): FormPart<T> {
  const change =
    <K extends keyof T>(name: K) =>
    (value: T[K]) =>
      set({ [name]: value } as unknown as Partial<T>)
  return {
    draft,
    set,
    field: (name) => ({ value: draft[name], onChange: change(name) }),
    toggle: (name) => ({ checked: draft[name], onChange: change(name) }),
    part: (name) => partOf(draft[name], (value) => change(name)({ ...draft[name], ...value })),
  }
}
