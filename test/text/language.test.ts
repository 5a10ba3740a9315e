import { describe, expect, it } from 'vitest'
import { languageNamed, languageOf, languages } from '../../web/text/language.ts'

const nameOf = (file: string, text = '') => languageOf(file, text)?.name ?? null

describe('the language of a file', () => {
  it.each([
    ['main.ts', 'TypeScript'],
    ['App.tsx', 'TSX'],
    ['Component.vue', 'Vue'],
    ['Widget.svelte', 'HTML'],
    ['server.go', 'Go'],
    ['lib.rs', 'Rust'],
    ['Main.JAVA', 'Java'],
    ['README.MD', 'Markdown'],
    ['style.scss', 'SCSS'],
    ['site.less', 'LESS'],
    ['query.sql', 'SQL'],
    ['docker-compose.yml', 'YAML'],
    ['Dockerfile', 'Dockerfile'],
    ['Dockerfile.dev', 'Dockerfile'],
    ['constructor', null],
    ['Makefile', 'Makefile'],
    ['CMakeLists.txt', 'CMake'],
    ['Cargo.toml', 'TOML'],
    ['Cargo.lock', 'TOML'],
    ['.env.local', 'Properties files'],
    ['setup.cfg', 'Properties files'],
    ['.bashrc', 'Shell'],
    ['start.bat', 'Batch'],
    ['main.tf', 'HCL'],
    ['schema.graphql', 'GraphQL'],
    ['build.zig', 'Zig'],
    ['default.nix', 'Nix'],
    ['app.exs', 'Elixir'],
    ['film.srt', 'Subtitles'],
    ['nginx.conf', 'Nginx'],
    ['Jenkinsfile', 'Groovy'],
    ['build.gradle.kts', 'Kotlin'],
    ['Gemfile', 'Ruby'],
    ['tsconfig.jsonc', 'JSON'],
    ['map.geojson', 'JSON'],
    ['Info.plist', 'XML'],
    ['change.patch', 'diff'],
    ['paper.tex', 'LaTeX'],
    ['script.ps1', 'PowerShell'],
    ['Program.cs', 'C#'],
    ['main.dart', 'Dart'],
    ['app.swift', 'Swift'],
    ['mod.lua', 'Lua'],
    ['stats.R', 'R'],
    ['calc.jl', 'Julia'],
    ['api.proto', 'ProtoBuf'],
    ['page.php', 'PHP'],
    ['core.clj', 'Clojure'],
    ['Main.hs', 'Haskell'],
    ['top.vhdl', 'VHDL'],
  ])('takes %s for %s', (file, language) => {
    expect(nameOf(file)).toBe(language)
  })

  it('leaves plain text plain', () => {
    expect(nameOf('notes.txt', 'Hello,\nthis is a letter.\n')).toBeNull()
    expect(nameOf('LICENSE', 'Permission is hereby granted')).toBeNull()
    expect(nameOf('a.text')).toBeNull()
  })

  it.each([
    ['run', '#!/usr/bin/env python3\nprint(1)\n', 'Python'],
    ['run', '#!/bin/bash\n', 'Shell'],
    ['run', '#!/usr/bin/env -S node --no-warnings\n', 'JavaScript'],
    ['feed', '<?xml version="1.0"?>\n<rss/>', 'XML'],
    ['index', '\n<!DOCTYPE html>\n<html>', 'HTML'],
    ['hook', '<?php echo 1;', 'PHP'],
    ['data', '{"a": 1}', 'JSON'],
    ['list', '[\n  {"a": 1}\n]', 'JSON'],
    ['change', 'diff --git a/x b/x\n', 'diff'],
    ['compose', '---\nservices:\n  web: {}\n', 'YAML'],
    ['settings', '[main]\nkey = value\n', 'Properties files'],
    ['notes.txt', '# vim: set ft=ruby :\nputs 1', 'Ruby'],
    ['thing', '# -*- mode: python; coding: utf-8 -*-\n', 'Python'],
  ])('reads it from the content of %s', (file, text, language) => {
    expect(nameOf(file, text)).toBe(language)
  })

  it('tells languages apart that share an extension', () => {
    expect(nameOf('view.h', 'namespace ui {\nclass View {};\n}')).toBe('C++')
    expect(nameOf('view.h', '#define A 1\nint f(void);')).toBe('C')
    expect(nameOf('view.m', '#import <UIKit/UIKit.h>\n@interface V')).toBe('Objective-C')
    expect(nameOf('fit.m', '% least squares\nfunction y = fit(x)\nend')).toBe('Octave')
    expect(nameOf('site.conf', 'server {\n  listen 80;\n}')).toBe('Nginx')
    expect(nameOf('app.conf', 'name = value')).toBe('Properties files')
  })

  it('finds languages by the names used after a code fence', () => {
    expect(languageNamed('sh')?.name).toBe('Shell')
    expect(languageNamed('JS')?.name).toBe('JavaScript')
    expect(languageNamed('py')?.name).toBe('Python')
    expect(languageNamed('c#')?.name).toBe('C#')
    expect(languageNamed('no such language')).toBeNull()
  })

  it('knows well over sixty languages, and every one of them loads', async () => {
    expect(languages.length).toBeGreaterThan(120)
    for (const language of languages) {
      const support = await language.load()
      expect(support.language.parser, language.name).toBeTruthy()
    }
  })

  it('highlights the languages that are ours', async () => {
    const support = await languageNamed('Makefile')?.load()
    const tree = support?.language.parser.parse('all: main.o # done\n\tcc -o $@ $^\n')
    expect(tree?.toString()).toContain('comment')
  })
})
