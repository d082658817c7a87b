// onnxruntime computes from an exported model what `trainyard score` says, to 1e-6.
//
//   node onnxruntime_test.mjs PROGRAM CUSTOMERS.csv
//
// Needs onnxruntime-web (npm install onnxruntime-web, anywhere above this file); says so and exits with 77 where
// it is not there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let ort;
try {
  ort = await import('onnxruntime-web');
} catch {
  console.log('skipped: no onnxruntime-web');
  process.exit(77);
}
ort.env.wasm.numThreads = 1;

const [program, customers] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'trainyard-onnx-'));
const run = (...words) => execFileSync(program, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Rows of a CSV file without quotes. */
const rowsOf = (text) => text.trim().split('\n').map((line) => line.split(','));

function columnsOf(text) {
  const [names, ...rows] = rowsOf(text);
  return Object.fromEntries(names.map((name, i) => [name, rows.map((row) => row[i])]));
}

const number = (text) => (text === '' ? NaN : Number(text));

function feedsOf(session, columns) {
  const feeds = {};
  for (const name of session.inputNames) {
    const column = columns[name];
    const words = column.some((text) => Number.isNaN(Number(text)));
    feeds[name] = words
      ? new ort.Tensor('string', column, [column.length, 1])
      : new ort.Tensor('float64', Float64Array.from(column, number), [column.length, 1]);
  }
  return feeds;
}

async function check(label, file, settings) {
  const training = ['run', '--steps', '200', '--workers', '2', '--batch', '8', '--scheme', 'ring', '--time', 'virtual',
    '--compute-time', '1ms', '--quiet', '--lr', '0.1', '--out', 'out', '--force', '--dataset', file, '--label-column', label];
  run(...training, ...settings);
  run('export', 'out', '--to', 'onnx', '--out', 'model.onnx', '--force');
  const session = await ort.InferenceSession.create(readFileSync(join(folder, 'model.onnx')));
  const output = await session.run(feedsOf(session, columnsOf(readFileSync(file, 'utf8'))));
  const [names, ...said] = rowsOf(run('score', 'out', file, '--no-labels'));
  const numbers = output.value ?? output.probabilities;
  const width = names.length - (names[0] === 'class' ? 1 : 0);
  let worst = 0;
  said.forEach((row, r) => {
    row.slice(-width).forEach((text, i) => {
      const theirs = numbers.data[r * width + i];
      worst = Math.max(worst, Math.abs(theirs - Number(text)) / Math.max(1, Math.abs(theirs)));
    });
    if (names[0] === 'class' && String(output.class.data[r]) !== row[0]) throw new Error(`${settings}: row ${r}: class`);
  });
  if (!(worst < 1e-6) || said.length === 0) throw new Error(`${settings}: differs by ${worst}`);
  console.log(`${settings.join(' ')}: ${said.length} rows, within ${worst.toExponential(1)}`);
}

try {
  const table = ['--drop-columns', 'id', '--missing', 'mean'];
  for (const scaling of ['none', 'standard', 'minmax', 'unit-rows']) {
    for (const model of [['--intercept'], ['--model', 'softmax'], ['--model', 'mlp:8']]) {
      await check('left', customers, [...table, '--scale', scaling, ...model]);
    }
  }
  const numbers = join(folder, 'numbers.csv');
  const lines = Array.from({ length: 100 }, (_, i) => `${1700000000 + 37 * i},${(i * i) % 17},${(i % 13) / 7 + i / 50}`);
  writeFileSync(numbers, `when,size,price\n${lines.join('\n')}\n`);
  await check('price', numbers, ['--model', 'least-squares', '--scale', 'standard', '--intercept']);
} finally {
  rmSync(folder, { recursive: true });
}
