// Packages without types; the using module states what it expects of them.
declare module 'libheif-js/wasm.js'
