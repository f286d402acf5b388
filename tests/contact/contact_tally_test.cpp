// The bookkeeping of a run with contacts, number by number: what a step adds, and where the certificate and the
// channels show it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "kernels/contact/certificate.hpp"
#include "kernels/contact/channels.hpp"
#include "kernels/contact/tally.hpp"
#include "kernels/math/fields.hpp"

namespace myriad::test {
namespace {

ContactTally<double> started() {
    ContactTally<double> tally;
    tally.start();
    return tally;
}

TEST(ContactTally, StartsWithNothingAndNoContact) {
    const ContactTally<double> tally = started();
    const auto certificate = contact_certificate(tally);
    for (int i = 0; i < contact_certificate_count; ++i) EXPECT_EQ(certificate[i], 0.0);
    for (int i = 0; i < contact_record_count; ++i) {
        const double entry = contact_record(tally, i);
        if (static_cast<ContactRecord>(i) == ContactRecord::first_contact_time)
            EXPECT_TRUE(std::isnan(entry));
        else
            EXPECT_EQ(entry, 0.0) << contact_record_entries[i].name;
    }
}

// Problems and iterations of the steps: none, 2 problems with 7 iterations, 1 with 1.
TEST(ContactTally, SumsWhatStepsCostAndKeepsTheWorst) {
    ContactTally<double> tally = started();
    tally.add(ContactEffort<double>::none(), 3.0);
    ContactEffort<double> two = ContactEffort<double>::none(), one = two;
    two.add(true, {true, 5.0, 1e-14});
    two.add(true, {true, 2.0, 3e-14});
    two.add(false, {true, 99.0, 1.0});  // a lane that had no problem
    one.add(true, {true, 1.0, 2e-14});
    tally.add(two, 4.0), tally.add(one, 2.0);
    EXPECT_EQ(tally.problems, 3.0);
    EXPECT_EQ(tally.prox_iterations, 8.0);
    EXPECT_EQ(tally.most_prox_iterations, 5.0);
    EXPECT_EQ(tally.prox_residual, 3e-14);
    EXPECT_EQ(tally.newton_iterations, 9.0);
    EXPECT_EQ(tally.most_newton_iterations, 4.0);
}

// Two passes that last 1/2 s and 1/3 s, and one of a lane that is not meant.
TEST(ContactTally, CountsPassesAndKeepsTheShortest) {
    ContactTally<double> tally = started();
    tally.count_jumped(true, 3.0), tally.count_jumped(true, 2.0), tally.count_jumped(false, std::nan(""));
    EXPECT_EQ(tally.jumped, 2.0);
    EXPECT_EQ(tally.jumped_rate_1_s, 3.0);
}

// Losses count against the energy; the worst error stays.
TEST(ContactTally, BalancesEnergyAndLosses) {
    ContactTally<double> tally = started();
    tally.initial_energy_J = 10.0;
    tally.friction_loss_J = 2.0, tally.impact_loss_J = 1.0;
    tally.compare_energy(7.0);
    EXPECT_EQ(tally.energy_error_J, 0.0);
    tally.compare_energy(6.5);
    EXPECT_EQ(tally.energy_error_J, 0.5);
    tally.compare_energy(7.25);
    EXPECT_EQ(tally.energy_error_J, 0.5);
    tally.compare_energy(std::nan(""));
    EXPECT_FALSE(tally.energy_error_J < 0.5);
}

// A different number in every field: each name shows its own.
TEST(ContactTally, ShowsEachNumberUnderItsName) {
    ContactTally<double> tally = started();
    tally.impacts = 3.0, tally.largest_impulse_N_s = 0.25, tally.largest_force_N = 40.0, tally.first_contact_s = 0.125;
    tally.penetration_m = 1e-6, tally.friction_loss_J = 0.5, tally.impact_loss_J = 0.75, tally.wear_work_J = 0.875;
    tally.energy_error_J = 1e-9, tally.problems = 4.0, tally.prox_iterations = 10.0, tally.most_prox_iterations = 6.0;
    tally.prox_residual = 1e-13, tally.most_newton_iterations = 5.0;
    tally.jumped = 7.0, tally.jumped_rate_1_s = 2.25, tally.jumped_bits = 9.0, tally.sunk_m = 1e-3;
    tally.sunk_bits = 12.0, tally.crowded = 8.0;
    const std::map<std::string, double> certificate{{"energy_balance_error", 1e-9},
                                                    {"penetration", 1e-6},
                                                    {"prox_residual", 1e-13},
                                                    {"mean_prox_iterations", 2.5},
                                                    {"impacts", 3.0},
                                                    {"prox_iterations_in_a_problem", 6.0},
                                                    {"newton_iterations_in_a_step", 5.0},
                                                    {"friction_loss", 0.5},
                                                    {"impact_loss", 0.75},
                                                    {"jumped_contacts", 7.0},
                                                    {"sunk_depth", 1e-3},
                                                    {"fastest_jumped_contact", 2.25},
                                                    {"jumped_contact_bits", 9.0},
                                                    {"sunk_contact_bits", 12.0},
                                                    {"crowded_steps", 8.0}};
    const auto values = contact_certificate(tally);
    ASSERT_EQ(certificate.size(), static_cast<std::size_t>(contact_certificate_count));
    for (int i = 0; i < contact_certificate_count; ++i)
        EXPECT_EQ(values[i], certificate.at(contact_certificate_entries[i].name))
            << contact_certificate_entries[i].name;
    const std::map<std::string, double> record{
        {"impacts", 3.0},      {"first_contact_time", 0.125}, {"friction_loss", 0.5},
        {"impact_loss", 0.75}, {"largest_impulse", 0.25},     {"largest_force", 40.0},
        {"penetration", 1e-6}, {"wear_work", 0.875},          {"energy_balance_error", 1e-9}};
    ASSERT_EQ(record.size(), static_cast<std::size_t>(contact_record_count));
    for (int i = 0; i < contact_record_count; ++i)
        EXPECT_EQ(contact_record(tally, i), record.at(contact_record_entries[i].name))
            << contact_record_entries[i].name;
}

// Every field is stored between two launches, each once.
TEST(ContactTally, VisitsEveryField) {
    ContactTally<double> tally;
    std::memset(static_cast<void*>(&tally), 0, sizeof tally);
    double next = 1.0;
    visit_fields([&](double& field) { field = next++; }, tally);
    EXPECT_EQ(next - 1.0, static_cast<double>(sizeof tally / sizeof(double)));
    double numbers[sizeof tally / sizeof(double)];
    std::memcpy(numbers, &tally, sizeof tally);
    double sum = 0.0;
    for (const double number : numbers) {
        EXPECT_GT(number, 0.0);
        sum += number;
    }
    EXPECT_EQ(sum, next * (next - 1.0) / 2.0);
}

}  // namespace
}  // namespace myriad::test
