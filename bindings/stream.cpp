// Learning from streams.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <utility>

#include "arrays.h"
#include "inducer/stream/session.h"

namespace inducer {

namespace {

using namespace inducer::stream;
using Table = Array<float, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

/// The place of a word in a list.
template <class Enum, std::size_t n>
Enum chosen(const char* what, std::string_view word,
            const std::array<std::pair<std::string_view, Enum>, n>& list) {
  for (const auto& [name, value] : list)
    if (name == word) return value;
  throw std::invalid_argument(std::string(what) + ": there is no '" + std::string(word) + "'");
}

constexpr std::array<std::pair<std::string_view, losses::Kind>, 15> loss_kinds{{
    {"perceptron", losses::Kind::perceptron},
    {"hinge", losses::Kind::hinge},
    {"squared_hinge", losses::Kind::squared_hinge},
    {"logistic", losses::Kind::logistic},
    {"exponential", losses::Kind::exponential},
    {"modified_huber", losses::Kind::modified_huber},
    {"squared", losses::Kind::squared},
    {"absolute", losses::Kind::absolute},
    {"huber", losses::Kind::huber},
    {"epsilon_insensitive", losses::Kind::epsilon_insensitive},
    {"squared_epsilon_insensitive", losses::Kind::squared_epsilon_insensitive},
    {"quantile", losses::Kind::quantile},
    {"poisson", losses::Kind::poisson},
    {"gamma", losses::Kind::gamma},
    {"tweedie", losses::Kind::tweedie},
}};
constexpr std::array<std::pair<std::string_view, Rule>, 3> rules{
    {{"adaptive", Rule::adaptive}, {"plain", Rule::plain}, {"ftrl", Rule::ftrl}}};
constexpr std::array<std::pair<std::string_view, Format>, 4> formats{
    {{"text", Format::text},
     {"svmlight", Format::svmlight},
     {"vw", Format::vw},
     {"csv", Format::csv}}};
constexpr std::array<std::pair<std::string_view, LabelKind>, 5> label_kinds{
    {{"any", LabelKind::any},
     {"counts", LabelKind::counts},
     {"amounts", LabelKind::amounts},
     {"signs", LabelKind::signs},
     {"classes", LabelKind::classes}}};

std::string_view bytes_of(const nb::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}

/// Names in files are bytes: nobody says that they are UTF-8.
std::vector<std::string> strings(const nb::list& list) {
  std::vector<std::string> out;
  for (nb::handle item : list) out.emplace_back(bytes_of(nb::cast<nb::bytes>(item)));
  return out;
}
nb::list list_of(const std::vector<std::string>& strings) {
  nb::list out;
  for (const std::string& s : strings) out.append(nb::bytes(s.data(), s.size()));
  return out;
}
nb::bytes to_bytes(const std::string& s) {
  return nb::bytes(s.data(), s.size());
}

/// A session, and the table that it learns into.
struct Held {
  Table table;
  Session session;
};

template <class T>
T get(const nb::dict& options, const char* name) {
  require(options.contains(name), std::string("options has no ") + name);
  return nb::cast<T>(options[name]);
}

void make(Held* self, Table table, const nb::dict& o) {
  const auto text = [&](const char* name) {
    return std::string(bytes_of(get<nb::bytes>(o, name)));
  };
  const auto bits = get<int>(o, "bits");
  const auto outputs = get<int>(o, "outputs");
  require(bits >= 1 && bits <= 30, "bits must be from 1 to 30");
  require(outputs >= 1 && outputs <= 1 << 20, "outputs must be from 1 to 1,048,576");
  const std::uint64_t bias = (std::uint64_t{1} << bits) * static_cast<std::uint64_t>(outputs);
  const std::uint64_t cells = bias + static_cast<std::uint64_t>(outputs);
  require(cells <= std::uint64_t{1} << 32, "2^bits times outputs must be below 2^32");
  require(table.shape(0) == cells, "table must have (2^bits + 1) outputs rows");

  FeatureOptions features;
  features.bits = bits;
  features.outputs = outputs;
  features.ngram = get<int>(o, "ngram");
  require(features.ngram >= 1 && features.ngram <= 1000, "ngram must be from 1 to 1000");
  features.quadratic = get<bool>(o, "quadratic");
  features.named = get<bool>(o, "named");
  for (nb::handle product : get<nb::list>(o, "interactions")) {
    features.interactions.push_back(strings(nb::cast<nb::list>(product)));
    const std::size_t terms = features.interactions.back().size();
    require(terms >= 2 && terms <= 8, "interactions must have 2 to 8 terms");
  }

  LabelOptions labels;
  labels.kind = chosen("labels", get<std::string_view>(o, "labels"), label_kinds);
  labels.classes = strings(get<nb::list>(o, "classes"));
  labels.most = get<std::size_t>(o, "most_classes");
  labels.listed_costs = get<bool>(o, "listed_costs");
  labels.costs = to_vector(get<Vector<double>>(o, "costs"));
  const bool with_costs = labels.listed_costs || !labels.costs.empty();
  require(labels.classes.size() <= labels.most, "more classes than most_classes");
  require(labels.costs.empty() ||
              (labels.most <= 1 << 16 && labels.costs.size() == labels.most * labels.most),
          "costs must have one number for each pair of classes");
  const std::size_t wanted = with_costs || labels.most > 2 ? labels.most : 1;
  if (labels.kind == LabelKind::classes)
    require(labels.most >= 2 && static_cast<std::size_t>(outputs) == wanted,
            "outputs does not fit most_classes");
  else
    require(outputs == 1 && !with_costs, "several outputs and costs are for classes");

  ParserOptions parser;
  parser.format = chosen("format", get<std::string_view>(o, "format"), formats);
  parser.labelled = get<bool>(o, "labelled");
  parser.learning = get<bool>(o, "learning");
  parser.columns.separator = text("separator").at(0);
  parser.columns.target = text("target");
  parser.columns.weight = text("weight");
  parser.columns.tag = text("tag");
  parser.columns.categories = strings(get<nb::list>(o, "categories"));
  parser.columns.names = strings(get<nb::list>(o, "columns"));

  LearnerOptions learner;
  learner.loss = {chosen("loss", get<std::string_view>(o, "loss"), loss_kinds),
                  get<double>(o, "loss_parameter")};
  learner.rule = chosen("rule", get<std::string_view>(o, "rule"), rules);
  learner.rate = get<double>(o, "rate");
  learner.power = get<double>(o, "power");
  learner.beta = get<double>(o, "beta");
  learner.l1 = get<double>(o, "l1");
  learner.l2 = get<double>(o, "l2");
  learner.outputs = outputs;
  learner.bias = bias;
  learner.costs = with_costs;
  learner.classes = labels.kind == LabelKind::signs || labels.kind == LabelKind::classes;
  learner.learning = parser.learning;
  learner.holdout = get<std::int64_t>(o, "holdout");

  const SessionOptions options{get<bool>(o, "skip_bad"), get<bool>(o, "predictions"),
                               get<bool>(o, "caching")};
  const std::span<Cell> view(reinterpret_cast<Cell*>(table.data()), table.shape(0));
  new (self) Held{table, Session(std::move(parser), std::move(labels), std::move(features), learner,
                                 options, view)};
}

}  // namespace

void bind_stream(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const BadLine& bad) {
      PyErr_SetObject(PyExc_ValueError, nb::bytes(bad.what()).ptr());  // names are bytes
    }
  });
  nb::class_<Held> c(m, "Session", "A stream being learned from, in a thread of its own.");
  c.def("__init__", &make, "table"_a.noconvert(), "options"_a);
  c.def(
      "feed",
      [](Held& held, const nb::bytes& bytes) {
        const std::string_view view = bytes_of(bytes);
        nb::gil_scoped_release release;
        held.session.feed(view);
      },
      "bytes"_a, "Read lines; the last may go on in the next bytes.");
  c.def(
      "feed_cached",
      [](Held& held, const nb::bytes& bytes) {
        const std::string_view view = bytes_of(bytes);
        nb::gil_scoped_release release;
        held.session.feed_cached(view);
      },
      "bytes"_a, "Read what take_cache gave.");
  c.def(
      "end_input", [](Held& held) { held.session.end_input(); },
      nb::call_guard<nb::gil_scoped_release>(), "Read the last line, and wait for the learner.");
  c.def(
      "drain", [](Held& held) { held.session.drain(); }, nb::call_guard<nb::gil_scoped_release>(),
      "Wait until all that was read is learned.");
  c.def(
      "begin_pass", [](Held& held) { held.session.begin_pass(); },
      nb::call_guard<nb::gil_scoped_release>(), "Begin again from the start of the input.");
  c.def(
      "take_cache", [](Held& held) { return to_bytes(held.session.take_cache()); },
      "The records of the blocks since the last call.");
  c.def(
      "take_reports",
      [](Held& held) {
        std::vector<double> out;
        for (const Report& r : held.session.take_reports())
          out.insert(out.end(),
                     {r.examples, r.weight, r.average, r.since, r.label, r.said, r.features});
        const std::size_t shape[2] = {out.size() / 7, 7};
        return to_numpy(std::move(out), shape);
      },
      "Lines for the screen: examples, weight, average, since, label, said, features.");
  c.def(
      "take_predictions",
      [](Held& held) {
        std::string tags;
        const std::vector<Prediction> predictions = held.session.take_predictions(tags);
        std::vector<double> out;
        out.reserve(predictions.size() * 3);
        for (const Prediction& p : predictions)
          out.insert(out.end(), {p.said, p.score, static_cast<double>(p.tag)});
        const std::size_t shape[2] = {predictions.size(), 3};
        return nb::make_tuple(to_numpy(std::move(out), shape), to_bytes(tags));
      },
      "What was said, its score and the length of the tag, for each example; and the tags.");
  c.def(
      "position",
      [](const Held& held) {
        const Position& p = held.session.position();
        return nb::make_tuple(p.bytes, p.lines, p.bad);
      },
      "Bytes and lines read in this pass, and bad lines of all.");
  c.def(
      "resume",
      [](Held& held, std::uint64_t bytes, std::int64_t lines, std::int64_t bad,
         const nb::dict& tally, Vector<double> norms) {
        Learner& learner = held.session.learner();
        require_length("norms", norms, 2 * static_cast<std::int64_t>(learner.norms.size()));
        const bool header_read = lines > 0 && !held.session.parser().columns().empty();
        held.session.resume({bytes, lines, bad}, header_read);
        Tally::visit(learner.tally,
                     [&](const char* name, double& value) { value = get<double>(tally, name); });
        for (std::size_t k = 0; k < learner.norms.size(); ++k)
          learner.norms[k] = {norms.data()[2 * k], norms.data()[2 * k + 1]};
      },
      "bytes"_a, "lines"_a, "bad"_a, "tally"_a, "norms"_a.noconvert(),
      "Go on where another session was.");
  c.def(
      "tally",
      [](Held& held) {
        nb::dict out;
        Tally::visit(held.session.learner().tally,
                     [&](const char* name, double value) { out[name] = value; });
        return out;
      },
      "The sums so far; drain first.");
  c.def(
      "norms",
      [](Held& held) {
        std::vector<double> out;
        for (const Norm& norm : held.session.learner().norms)
          out.insert(out.end(), {norm.weight, norm.squares});
        return to_numpy(std::move(out));
      },
      "The sums that the adaptive rule norms with; drain first.");
  c.def("classes", [](Held& held) { return list_of(held.session.parser().labels().classes()); });
  c.def("columns", [](Held& held) { return list_of(held.session.parser().columns()); });
  c.def("first_bad", [](Held& held) { return to_bytes(held.session.first_bad()); });
  c.def(
      "names",
      [](Held& held) { return to_bytes(held.session.parser().features().names().listed()); },
      "Row of the table, tabulator, name: a line for each name that was remembered.");
  c.def(
      "remember",
      [](Held& held, std::int64_t slot, const nb::bytes& name) {
        Names& names = held.session.parser().features().names();
        require(slot >= 0 && names.wanted() && static_cast<std::size_t>(slot) < names.slots(),
                "there is no such row, or no names are wanted");
        names.remember(static_cast<std::size_t>(slot), bytes_of(name));
      },
      "slot"_a, "name"_a);
  c.def("forgotten",
        [](Held& held) { return held.session.parser().features().names().forgotten(); });
}

}  // namespace inducer
