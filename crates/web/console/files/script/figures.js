// Figures of a region at two moments: numbers now, and what grew in a second between them.

/** All figures at a moment. */
export class Moment {
  constructor(answer) {
    this.at = performance.now() / 1000;
    this.tasks = answer.tasks;
    this.byName = new Map();
    for (const [name, labels, value] of answer.figures) {
      if (!this.byName.has(name)) this.byName.set(name, []);
      this.byName.get(name).push([labels, value]);
    }
  }

  all(name) { return this.byName.get(name) ?? []; }

  one(name, labels = []) {
    const found = this.all(name).find(([own]) => own.length === labels.length && own.every((value, at) => value === labels[at]));
    return found ? found[1] : 0;
  }

  sum(name) { return this.all(name).reduce((sum, [, value]) => sum + value, 0); }

  /** The first labels of a name, each once. */
  resources(name) { return [...new Set(this.all(name).map(([labels]) => labels[0]))]; }
}

function growth(now, before, seconds) {
  return now >= before && seconds > 0 ? (now - before) / seconds : null;
}

/** What grew between two moments; `null` where there is only one, or the region has started again. */
export class Between {
  constructor(before, now) {
    this.before = before;
    this.now = now;
    this.seconds = before ? now.at - before.at : 0;
  }

  rate(name, labels) {
    return this.before ? growth(this.now.one(name, labels), this.before.one(name, labels), this.seconds) : null;
  }

  rateOfAll(name) {
    return this.before ? growth(this.now.sum(name), this.before.sum(name), this.seconds) : null;
  }
}
