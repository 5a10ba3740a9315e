// The engines that keep records: each makes a place of its own and opens it as often as it is asked.
import { join } from 'node:path'
import type { Collection, Store } from '../../src/store/collection.ts'
import { SCHEMA_VERSION } from '../../src/store/document.ts'
import { createStore, openStore } from '../../src/store/store.ts'
import { makeTree } from './tree.ts'

export interface EnginePlace extends AsyncDisposable {
  open(): Promise<Store>
}

export interface Engine {
  name: string
  make(collections: readonly Collection[]): Promise<EnginePlace>
}

const DOCUMENT: Engine = {
  name: 'the document and its logs',
  make: async (collections) => {
    const tree = await makeTree({})
    const file = join(tree.base, 'records.db')
    await (await createStore(file, { version: SCHEMA_VERSION }, undefined, collections)).close()
    return {
      open: () => openStore(file, collections),
      [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
    }
  },
}

export const ENGINES: Engine[] = [DOCUMENT]
